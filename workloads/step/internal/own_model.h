// SPDX-License-Identifier: Apache-2.0
// Tries a model from a user's file on the data before measuring.
#pragma once

#include <functional>

#include "workloads/model/model.h"
#include "workloads/transfer/transfer.h"

namespace stepbench::step {

// True if the model comes from a user's file (model.path): its requirements are only known by a
// trial.
[[nodiscard]] bool is_own_model(const ResolvedCase& resolved);

// Runs such a model once on a few samples, in evaluation mode and without gradients, and leaves it
// in training mode. Throws ConfigError with the expected and the given input. TorchScript's
// executor would specialise on this run: pass a copy that is not measured.
void try_own_model(const ResolvedCase& resolved, Model& model, const DataShape& data,
                   const transfer::BatchTensors& samples,
                   const std::function<at::Tensor(Model&, const at::Tensor&)>& forward);

}  // namespace stepbench::step
