// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace stepbench {

// Mean cross entropy over samples, or over samples and positions when logits are {batch, positions,
// vocabulary}.
[[nodiscard]] at::Tensor cross_entropy(const at::Tensor& logits, const at::Tensor& target);

}  // namespace stepbench
