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

// The keys and values of all positions so far of one layer's attention, {sequences, heads,
// positions, width of a head}. Memory for all of a context is taken at the first use and when
// batches become larger or change their type, and is used again.
class KeyValueCache {
 public:
  explicit KeyValueCache(std::int64_t context) : context_(context) {}
  void clear() { length_ = 0; }
  [[nodiscard]] std::int64_t length() const { return length_; }

  // Causal attention of new positions to themselves and to all before them, whose keys and values
  // it adds. Several positions at once only when it is empty.
  [[nodiscard]] at::Tensor attend(const at::Tensor& query, const at::Tensor& key,
                                  const at::Tensor& value, std::int64_t heads);

 private:
  void make_room(const at::Tensor& like);

  std::int64_t context_;
  std::int64_t length_ = 0;
  at::Tensor keys_, values_;
};

}  // namespace stepbench::model
