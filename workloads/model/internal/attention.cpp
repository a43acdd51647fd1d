// SPDX-License-Identifier: Apache-2.0
#include "workloads/model/internal/attention.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include <vector>

namespace stepbench::model {

namespace {

// {batch, positions, width} -> {batch, heads, positions, width of a head}
at::Tensor split_heads(const at::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

at::Tensor join_heads(const at::Tensor& x) {
  return x.transpose(1, 2).contiguous().view({x.size(0), x.size(2), -1});
}

}  // namespace

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const AttentionOptions& options) {
  const auto split = [&](const at::Tensor& x) { return split_heads(x, options.heads); };
  return join_heads(at::scaled_dot_product_attention(split(query), split(key), split(value), {},
                                                     options.dropout, options.causal));
}

at::Tensor KeyValueCache::attend(const at::Tensor& query, const at::Tensor& key,
                                 const at::Tensor& value, std::int64_t heads) {
  const at::Tensor new_keys = split_heads(key, heads);
  const std::int64_t sequences = new_keys.size(0);
  const std::int64_t positions = new_keys.size(2);
  make_room(new_keys);
  const auto kept = [&](const at::Tensor& all, std::int64_t from, std::int64_t count) {
    return all.narrow(0, 0, sequences).narrow(2, from, count);
  };
  kept(keys_, length_, positions).copy_(new_keys);
  kept(values_, length_, positions).copy_(split_heads(value, heads));
  length_ += positions;
  return join_heads(at::scaled_dot_product_attention(
      split_heads(query, heads), kept(keys_, 0, length_), kept(values_, 0, length_), {},
      /*dropout_p=*/0, /*is_causal=*/positions > 1));
}

void KeyValueCache::make_room(const at::Tensor& like) {
  const bool fits = keys_.defined() && keys_.size(0) >= like.size(0) &&
                    keys_.scalar_type() == like.scalar_type() && keys_.device() == like.device();
  if (fits) return;
  const std::vector<std::int64_t> shape = {like.size(0), like.size(1), context_, like.size(3)};
  keys_ = at::empty(shape, like.options());
  values_ = at::empty(shape, like.options());
}

}  // namespace stepbench::model
