// SPDX-License-Identifier: Apache-2.0
// Records the shapes of an operation's inputs; the part that includes torch.
#pragma once

#include <ATen/core/ivalue.h>

#include <span>
#include <string_view>

#include "workloads/profile/shape_words.h"

namespace stepbench::profile {

// Extents of a tensor; empty for other inputs, as in torch.profiler.
[[nodiscard]] inline std::span<const std::int64_t> extents_of(const at::IValue& input) {
  if (!input.isTensor()) return {};
  const at::Tensor& tensor = input.toTensor();
  if (!tensor.defined() || tensor.is_nested() ||
      tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) {
    return {};
  }
  const at::IntArrayRef sizes = tensor.sizes();
  return {sizes.data(), sizes.size()};
}

// A convolution's FLOPs depend on its stride and padding.
[[nodiscard]] inline bool wants_arguments(std::string_view op) {
  return op.starts_with("aten::conv");
}
void add_argument(const at::IValue& input, ShapeWords& words);

}  // namespace stepbench::profile
