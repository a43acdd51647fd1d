// SPDX-License-Identifier: Apache-2.0
// model.loss: the losses, and what they do to a batch first.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "harness/base/resolved_case.h"
#include "workloads/torch_loader/batch_tensor.h"

namespace stepbench::step {

// Mean cross entropy over samples, or over samples and positions when logits are {batch, positions,
// vocabulary}. Targets of -100 do not count.
[[nodiscard]] at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& target);

// What model.loss names. Main thread.
class Loss {
 public:
  // `classes`: of the data set, or the size of its vocabulary.
  Loss(const ResolvedCase& resolved, std::int64_t classes);

  // What the model is fed and what it is scored against. With masked_cross_entropy the chosen
  // positions of the input hold the vocabulary's last token, and the target is the token that stood
  // there; else the batch itself.
  [[nodiscard]] torch_loader::BatchTensors prepare(const torch_loader::BatchTensors& batch);
  [[nodiscard]] at::Tensor operator()(const at::Tensor& output, const at::Tensor& target) const;

 private:
  enum class Kind : std::uint8_t {
    kCrossEntropy,
    kMaskedCrossEntropy,
    kMeanSquaredError,
    kBinaryCrossEntropy
  };
  static Kind kind_of(const ResolvedCase& resolved);
  [[nodiscard]] at::Tensor one_hot(const at::Tensor& output, const at::Tensor& target) const;

  Kind kind_;
  std::int64_t classes_;
  std::int64_t seed_;
  bool padded_;
  at::Tensor mask_;  // of the shape of the input last seen
};

}  // namespace stepbench::step
