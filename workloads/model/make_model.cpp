// SPDX-License-Identifier: Apache-2.0
#include "workloads/model/model.h"

#include <array>

#include "harness/base/error.h"
#include "harness/text/words.h"
#include "workloads/data/python_parts.h"
#include "workloads/model/internal/load_plugin.h"
#include "workloads/model/internal/network.h"
#include "workloads/model/module_model.h"

namespace stepbench {
namespace {

// "{3, 224, 224}"
std::string dimensions(const FieldSpec& field) {
  return "{" +
         text::join(field.shape, ", ", [](std::int64_t size) { return std::to_string(size); }) +
         "}";
}

}  // namespace

std::string shape_text(const FieldSpec& field) {
  return "'" + field.name + "' " + dimensions(field);
}

std::int64_t parameter_count(const Model& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters()) count += parameter.numel();
  return count;
}

namespace model {

std::unique_ptr<Model> as_model(std::shared_ptr<Network> network, const ResolvedCase& resolved) {
  network->recompute_blocks(resolved.flag_or("model.activation_checkpointing", false));
  return model_of(std::move(network));
}

void require_image(std::string_view kind, const DataShape& data) {
  if (data.input.shape.size() == 3 && data.input.shape[0] == 3) return;
  throw ConfigError("data.kind", std::string(kind) +
                                     " needs images {3, height, width}; got field '" +
                                     data.input.name + "' with shape " + dimensions(data.input));
}

void require_classes(std::string_view kind, const DataShape& data) {
  const bool has_label = data.target.shape.empty();
  if (data.classes > 0 && has_label) return;
  if (has_label) {
    throw ConfigError("data.classes", std::string(kind) +
                                          " needs to know how many classes there are, and the data "
                                          "set does not say: set data.classes");
  }
  throw ConfigError(
      "data.kind",
      std::string(kind) + " needs one class label per sample; this data set has the target " +
          shape_text(data.target) + " and " + std::to_string(data.classes) + " classes");
}

void require_tokens(std::string_view kind, const DataShape& data) {
  const bool tokens = data.input.dtype == DType::kInt64 && data.input.shape.size() == 1;
  if (tokens && data.classes > 0 && data.target.shape == data.input.shape) return;
  throw ConfigError("data.kind", std::string(kind) +
                                     " needs sequences of token ids with a target for each; this "
                                     "data set's fields are " +
                                     shape_text(data.input) + " and " + shape_text(data.target));
}

}  // namespace model

std::span<const ModelType> model_types() {
  static constexpr std::array types = {
      ModelType{"mlp", model::make_mlp},
      ModelType{"resnet18", model::make_resnet18},
      ModelType{"resnet50", model::make_resnet50},
      ModelType{"vit_b16", model::make_vit_b16},
      ModelType{"gpt", model::make_gpt},
      ModelType{"bert_base", model::make_bert_base},
      ModelType{"torchscript", model::make_torchscript},
      ModelType{"plugin", model::make_plugin},
      ModelType{"aoti", model::make_aoti},
      ModelType{"python", nullptr},
  };
  return types;
}

std::unique_ptr<Model> make_model(const ResolvedCase& resolved, const DataShape& data,
                                  data::PythonParts* python) {
  const std::string& kind = resolved.text("model.kind");
  for (const ModelType& type : model_types()) {
    if (type.kind != kind) continue;
    if (type.make != nullptr) return type.make(resolved, data);
    if (python != nullptr) return python->make_model(resolved, data);
    throw ConfigError("model.kind", "python needs a worker that runs in an interpreter");
  }
  throw ConfigError("model.kind", "unknown model.kind '" + kind + "'; known: " +
                                      text::join(model_types(), ", ",
                                                 [](const ModelType& type) { return type.kind; }));
}

}  // namespace stepbench
