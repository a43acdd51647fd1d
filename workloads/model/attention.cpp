// SPDX-License-Identifier: Apache-2.0
#include "workloads/model/attention.h"

#include <ATen/ops/scaled_dot_product_attention.h>

namespace stepbench {

at::Tensor self_attention(const at::Tensor& qkv, std::int64_t heads, bool causal, double dropout) {
  const std::int64_t batch = qkv.size(0);
  const std::int64_t positions = qkv.size(1);
  // {3, batch, heads, positions, width of a head}
  const at::Tensor split = qkv.view({batch, positions, 3, heads, -1}).permute({2, 0, 3, 1, 4});
  const at::Tensor out =
      at::scaled_dot_product_attention(split[0], split[1], split[2], {}, dropout, causal);
  return out.transpose(1, 2).reshape({batch, positions, -1});
}

}  // namespace stepbench
