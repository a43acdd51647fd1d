// SPDX-License-Identifier: Apache-2.0
#include "workloads/model/attention.h"

#include <ATen/ops/scaled_dot_product_attention.h>

namespace stepbench::model {

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const AttentionOptions& options) {
  const std::int64_t batch = query.size(0);
  const std::int64_t positions = query.size(1);
  const auto split = [&](const at::Tensor& x) {  // {batch, heads, positions, width of a head}
    return x.view({batch, positions, options.heads, -1}).transpose(1, 2);
  };
  const at::Tensor out = at::scaled_dot_product_attention(split(query), split(key), split(value),
                                                          {}, options.dropout, options.causal);
  return out.transpose(1, 2).contiguous().view({batch, positions, -1});
}

}  // namespace stepbench::model
