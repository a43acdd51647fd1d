// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

namespace stepbench {

// Multi-head attention over queries, keys and values that stand side by side: {batch, positions, 3
// * width} gives {batch, positions, width}, through the fused scaled_dot_product_attention.
[[nodiscard]] at::Tensor self_attention(const at::Tensor& qkv, std::int64_t heads,
                                        bool causal = false, double dropout = 0);

}  // namespace stepbench
