// SPDX-License-Identifier: Apache-2.0
// The table behind model.kind, in the order of the catalogue: the torch-free properties of a model.
// make_model.cpp has the same names with the functions that create them.
#pragma once

#include <string>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "workloads/data/dataset.h"

namespace stepbench::model {

struct ModelKind {
  Variant variant;
  // Returns what the model needs if it cannot take `input`: "images of three channels (...)"; else
  // empty. Never called with kAny. Null: only known at set-up, for models from a file.
  std::string (*unmet_need)(data::InputKind input, const ResolvedCase& resolved) = nullptr;
  // Takes model.loss: masked_cross_entropy.
  bool masked_loss = false;
  // Each position attends to all others without a mask, including padding.
  bool sees_padding = false;
  // Generates text with a key-value cache: workload generate.
  bool generates = false;
  // Consists of blocks that can be recomputed in the backward pass: model.activation_checkpointing.
  bool has_blocks = false;

  [[nodiscard]] bool from_file() const { return unmet_need == nullptr; }
};

[[nodiscard]] const std::vector<ModelKind>& model_kinds();
// Looks up model.kind. Throws ConfigError("model.kind", ...) if it is unknown.
[[nodiscard]] const ModelKind& model_kind(const ResolvedCase& resolved);

}  // namespace stepbench::model
