// SPDX-License-Identifier: Apache-2.0
// Converts torch's description of an operation: its scope, and the shapes and arguments of its
// inputs. Includes torch.
#pragma once

#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include <span>
#include <string_view>

#include "harness/ops/op_log.h"
#include "workloads/profile/internal/thread_log.h"

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

[[nodiscard]] inline ops::OpScope op_scope(at::RecordScope scope) {
  switch (scope) {
    case at::RecordScope::BACKWARD_FUNCTION:
      return ops::OpScope::kBackwardFunction;
    case at::RecordScope::USER_SCOPE:
      return ops::OpScope::kUserScope;
    default:
      return ops::OpScope::kFunction;
  }
}

}  // namespace stepbench::profile
