// SPDX-License-Identifier: Apache-2.0
// Multi-head attention, for the transformers of the zoo.
#pragma once

#include <ATen/core/Tensor.h>

namespace stepbench::model {

struct AttentionOptions {
  std::int64_t heads = 1;
  bool causal = false;
  double dropout = 0;
};

// Multi-head attention of {batch, positions, width}, through the fused
// scaled_dot_product_attention.
[[nodiscard]] at::Tensor attention(const at::Tensor& query, const at::Tensor& key,
                                   const at::Tensor& value, const AttentionOptions& options);

}  // namespace stepbench::model
