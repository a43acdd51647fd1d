// SPDX-License-Identifier: Apache-2.0
// The zoo. A model maps one input tensor of a batch to logits; names of weights are those of
// torchvision or of the published reference, so that weights can be exchanged. Main thread only.
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

// What the data set offers, known before the first batch.
struct DataShape {
  FieldSpec input;
  FieldSpec target;
  std::int64_t classes = 0;  // or size of the vocabulary; 0: not known
};

// Makes text: a key-value cache keeps what the model knows of the tokens that came before.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  virtual ~Decoder() = default;

  // Forgets all tokens. The cache's memory is kept and used again.
  virtual void restart() = 0;
  // The logits {sequences, vocabulary} of the token that follows `tokens` {sequences, length},
  // which themselves follow all tokens since restart(). Several tokens at once only as the first
  // ones. Throws Error beyond the model's context.
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
  // Of the modules that run in a ModuleScope.
  [[nodiscard]] virtual ModuleNames module_names() const { return {}; }
  // Of the code in the files that it consists of, to be asked after the last step; empty: the file
  // model.path alone is the model.
  [[nodiscard]] virtual std::string digest() const { return {}; }
  // Null: it makes no text, or has no cache for it.
  [[nodiscard]] virtual Decoder* decoder() { return nullptr; }
  virtual void train(bool on) = 0;
  virtual void to(at::Device device, at::MemoryFormat format) = 0;
};

[[nodiscard]] std::int64_t parameter_count(const Model& model);

// "'image' {3, 224, 224}"
[[nodiscard]] std::string shape_text(const FieldSpec& field);

struct ModelType {  // one row of the table behind model.kind
  std::string_view kind;
  // Null: PythonParts make it.
  std::unique_ptr<Model> (*make)(const ResolvedCase&, const DataShape&);
};
[[nodiscard]] std::span<const ModelType> model_types();

// Initialised from the global generator, in training mode, on the CPU. Throws ConfigError at the
// option or the data that does not fit.
[[nodiscard]] std::unique_ptr<Model> make_model(const ResolvedCase& resolved, const DataShape& data,
                                                data::PythonParts* python = nullptr);

}  // namespace stepbench
