// SPDX-License-Identifier: Apache-2.0
// The model zoo. A model maps one input tensor of a batch to logits. Weights have the names of
// torchvision or of the published reference, so that they can be exchanged. Main thread only.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/resolved_case.h"
#include "workloads/data/batch.h"
#include "workloads/model/module_scope.h"

namespace stepbench::data {
class PythonParts;
}  // namespace stepbench::data

namespace stepbench {

// Properties of the data set, known before the first batch.
struct DataShape {
  FieldSpec input;
  FieldSpec target;
  std::int64_t classes = 0;  // or size of the vocabulary; 0: unknown
};

// Generates text with a key-value cache of the preceding tokens.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  // Forgets all tokens. Reuses the cache's memory.
  virtual void restart() = 0;
  // Returns the logits {sequences, vocabulary} of the token after `tokens` {sequences, length},
  // which follow all tokens since restart(). Several tokens at once only in the first call. Throws
  // Error beyond the model's context.
  [[nodiscard]] virtual at::Tensor next(const at::Tensor& tokens) = 0;
};

using NamedTensors = std::vector<std::pair<std::string, at::Tensor>>;

class Model {
 public:
  Model() = default;
  Model(const Model&) = delete;
  Model& operator=(const Model&) = delete;
  virtual ~Model() = default;

  // Logits: {batch, classes}, or {batch, positions, vocabulary} for token models.
  [[nodiscard]] virtual at::Tensor forward(const at::Tensor& input) = 0;
  [[nodiscard]] virtual std::vector<at::Tensor> parameters() const = 0;
  // Parameters and buffers in order of declaration.
  [[nodiscard]] virtual NamedTensors state() const = 0;
  // Names of the modules that run in a ModuleScope.
  [[nodiscard]] virtual ModuleNames module_names() const { return {}; }
  // Digest of the code in all its files, valid after the last step; empty: the file model.path is
  // the whole model.
  [[nodiscard]] virtual std::string digest() const { return {}; }
  // Null: it does not generate text, or has no cache for it.
  [[nodiscard]] virtual Decoder* decoder() { return nullptr; }
  virtual void train(bool on) = 0;
  virtual void to(at::Device device, at::MemoryFormat format) = 0;
};

[[nodiscard]] std::int64_t parameter_count(const Model& model);

// "'image' {3, 224, 224}"
[[nodiscard]] std::string shape_text(const FieldSpec& field);

struct ModelType {  // one row of the table behind model.kind
  std::string_view kind;
  // Null: created by PythonParts.
  std::unique_ptr<Model> (*make)(const ResolvedCase&, const DataShape&);
};
[[nodiscard]] std::span<const ModelType> model_types();

// Initialised from the global generator, in training mode, on the CPU. Throws ConfigError at the
// option or the data that does not fit.
[[nodiscard]] std::unique_ptr<Model> make_model(const ResolvedCase& resolved, const DataShape& data,
                                                data::PythonParts* python = nullptr);

}  // namespace stepbench
