// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/loss.h"

#include <ATen/ops/cross_entropy_loss.h>

namespace stepbench {

at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& target) {
  if (logits.dim() == 2) return at::cross_entropy_loss(logits, target);
  return at::cross_entropy_loss(logits.flatten(0, -2), target.flatten());
}

}  // namespace stepbench
