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

// Multi-head attention of {batch, positions, width}, by the fused scaled_dot_product_attention.
[[nodiscard]] at::Tensor attention(const at::Tensor& query, const at::Tensor& key,
                                   const at::Tensor& value, const AttentionOptions& options);

// Keys and values of all positions so far in one layer's attention, {sequences, heads, positions,
// width of a head}. Memory for a whole context is allocated at the first use and when batches grow
// or change their type; it is reused.
class KeyValueCache {
 public:
  explicit KeyValueCache(std::int64_t context) : context_(context) {}
  void clear() { length_ = 0; }
  [[nodiscard]] std::int64_t length() const { return length_; }

  // Causal attention of new positions to themselves and all previous ones; appends their keys and
  // values. Several positions at once only if it is empty.
  [[nodiscard]] at::Tensor attend(const at::Tensor& query, const at::Tensor& key,
                                  const at::Tensor& value, std::int64_t heads);

 private:
  void make_room(const at::Tensor& like);

  std::int64_t context_;
  std::int64_t length_ = 0;
  at::Tensor keys_, values_;
};

}  // namespace stepbench::model
