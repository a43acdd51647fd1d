// SPDX-License-Identifier: Apache-2.0
// model.loss: the losses, and their preparation of a batch.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "harness/base/resolved_case.h"
#include "workloads/transfer/transfer.h"

namespace stepbench::step {

// Mean cross entropy over samples, or over samples and positions if logits are {batch, positions,
// vocabulary}. Ignores targets of -100.
[[nodiscard]] at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& target);

// The loss named by model.loss. Main thread.
class Loss {
 public:
  // `classes`: of the data set, or the size of its vocabulary.
  Loss(const ResolvedCase& resolved, std::int64_t classes);

  // Returns the model's input and target. With masked_cross_entropy the chosen positions of the
  // input hold the vocabulary's last token, and their targets the original tokens; else it is the
  // batch itself.
  [[nodiscard]] transfer::BatchTensors prepare(const transfer::BatchTensors& batch);
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
  at::Tensor mask_;  // shape of the last input
};

}  // namespace stepbench::step
