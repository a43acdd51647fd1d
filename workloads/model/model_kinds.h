// SPDX-License-Identifier: Apache-2.0
// The table behind model.kind, in the order of the catalogue: what is known of a model without
// torch. make_model.cpp has the same names with the functions that make them.
#pragma once

#include <string>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/catalogue/catalogue.h"
#include "workloads/data/data_kind.h"

namespace stepbench::model {

struct ModelKind {
  // Name, documentation and options.
  Variant variant;
  // Empty if the model can take `input`, else what it needs: "images of three channels (...)".
  // Never asked of kAny. Null: what it takes is found out when it is set up, for models from a
  // file.
  std::string (*unmet_need)(data::InputKind input, const ResolvedCase& resolved) = nullptr;
  // Takes model.loss: masked_cross_entropy.
  bool masked_loss = false;
  // Each position sees all others, padding among them: nothing masks it.
  bool sees_padding = false;
  // Makes text with a key-value cache: workload generate.
  bool generates = false;
  // Consists of blocks that can run again in the backward pass: model.activation_checkpointing.
  bool has_blocks = false;

  [[nodiscard]] bool from_file() const { return unmet_need == nullptr; }
};

[[nodiscard]] const std::vector<ModelKind>& model_kinds();
// What model.kind names. Throws ConfigError("model.kind", ...) if there is no such.
[[nodiscard]] const ModelKind& model_kind(const ResolvedCase& resolved);

}  // namespace stepbench::model
