// SPDX-License-Identifier: Apache-2.0
// Tries a model from a user's file on the data before anything is measured.
#pragma once

#include <functional>

#include "workloads/model/model.h"
#include "workloads/torch_loader/batch_tensor.h"

namespace stepbench::step {

// Whether the model comes from a file of the user's (model.path): nothing is known of it before it
// is tried.
[[nodiscard]] bool is_own_model(const ResolvedCase& resolved);

// Gives such a model a few samples once, in evaluation mode and without gradients, and leaves it in
// training mode. Throws ConfigError naming what was expected and what was given. TorchScript's
// executor would take this run for the model's usual one: try a copy that nobody measures.
void try_own_model(const ResolvedCase& resolved, Model& model, const DataShape& data,
                   const torch_loader::BatchTensors& samples,
                   const std::function<at::Tensor(Model&, const at::Tensor&)>& forward);

}  // namespace stepbench::step
