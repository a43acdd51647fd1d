// SPDX-License-Identifier: Apache-2.0
// Operations and memory traffic of one call of an op, from the shapes of its inputs; the element
// types of tensors; and the peak rates of devices. The only place for these formulas and rates,
// which FLOPs, MFU and efficiency use. A multiply-add is two operations. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "harness/base/enum_names.h"

namespace stepbench::ops {

enum class WorkKind : std::uint8_t { kElementwise, kMatrix, kConvolution, kAttention };
constexpr EnumNames<4> names_of(WorkKind) {
  return {"elementwise", "matrix product", "convolution", "attention"};
}

struct OpWork {
  WorkKind kind = WorkKind::kMatrix;
  bool backward = false;   // by the op's name; matrix products are equal in both directions
  std::int64_t flops = 0;  // as torch.utils.flop_counter counts
  // Part of flops behind a causal mask, half if there are as many queries as keys: kernels skip it.
  std::int64_t masked_flops = 0;
  // Elements of all tensors read and written, each once: the minimum memory traffic. 0: unknown.
  std::int64_t elements = 0;
  std::size_t typed_input = 0;  // the input whose type the arithmetic has
};

// `shapes` and `arguments` are as in OpLog: "[[8, 32], [32, 64]]" and ["", "", "", "[2, 2]"].
// Returns nullopt for an unknown op or insufficient inputs: a convolution needs its stride, padding
// and dilation in `arguments`. With d_v the width of the values and x, w, o the elements of input,
// weight and output:
//
//   op                                    flops                                  elements
//   mm, addmm, bmm, baddbmm, _scaled_mm   2 b m n k                              b (mk + kn + mn)
//   add, mul                              elements of the result                 inputs, result
//   conv1d, conv2d, conv3d, convolution   2 N C_out prod(out) (C_in / groups)
//                                           prod(kernel)                         x + w + o
//   conv_transpose{1,2,3}d                the same over the input's extent       -
//   convolution_backward                  forward, once for each requested       x + w + o for
//                                           gradient: grad_input, grad_weight      each
//   attention kernels                     2 b h s_q s_k (d + d_v)                q + k + v + o
//   their backward                        2.5 times                              2 (q + k + v + o)
//
// addmm, baddbmm and convolutions also read their bias. Without `arguments`, both grad_input and
// grad_weight are counted.
[[nodiscard]] std::optional<OpWork> work_of(std::string_view name, std::string_view shapes,
                                            std::string_view arguments = {});
// Returns whether there is a formula for an op of this name.
[[nodiscard]] bool has_work(std::string_view name);
// Returns whether the op calls another counted op, or is called by one (aten::convolution). Sums
// over all ops exclude it.
[[nodiscard]] bool is_counted_elsewhere(std::string_view name);

// Returns OpWork::flops by these formulas. nullopt for an op that only calls another
// counted op or is called by one (aten::linear, aten::convolution, aten::matmul), so that sums over
// ops count nothing twice. If an op calls itself again (autocast), the inner call counts.
[[nodiscard]] std::optional<std::int64_t> flops(std::string_view name, std::string_view shapes,
                                                std::string_view arguments = {});

// Element types of tensors, as named by profilers and NCCL.

enum class Dtype : std::uint8_t {
  kUnknown,
  kFp64,
  kFp32,
  kTf32,  // fp32 multiplied with fewer bits by tensor cores: a property of kernels, not of tensors
  kFp16,
  kBf16,
  kFp8,
  kInt64,
  kInt32,
  kInt16,
  kInt8,
  kComplex64,
  kComplex128,
};
constexpr EnumNames<13> names_of(Dtype) {
  return {"unknown", "fp64",  "fp32",  "tf32", "fp16",      "bf16",      "fp8",
          "int64",   "int32", "int16", "int8", "complex64", "complex128"};
}

// Parses torch.profiler's "c10::BFloat16", "long int", NCCL's "BFloat16", "Long", and our "bf16".
[[nodiscard]] Dtype dtype_named(std::string_view text);
[[nodiscard]] std::int64_t element_bytes(Dtype dtype);  // 0: unknown

// Returns the text in the `index`th pair of quotation marks: "float" of ["long int", "float"] for
// 1. Empty if there are fewer.
[[nodiscard]] std::string_view quoted_text(std::string_view list, std::size_t index);

// Peak rates of devices according to their makers.

// Rates of dense matrix products, without sparsity; 0: the device lacks the mode, or its maker
// gives no rate. fp32 on ordinary cores; bf16 and fp16 with fp32 accumulation; fp64 on tensor cores
// if supported.
struct DevicePeaks {
  double fp64_flops = 0;  // all rates are per second
  double fp32_flops = 0;
  double tf32_flops = 0;
  double bf16_flops = 0;
  double fp16_flops = 0;
  double fp8_flops = 0;
  double memory_bytes = 0;
  std::string_view source = {};

  // nullopt if unknown.
  [[nodiscard]] std::optional<double> flops(Dtype dtype) const;
};

// Looks up the full name that the driver reports. A name with an addition ("Laptop GPU", "D", "Ti",
// a part of a MIG device) is a different device: nullopt.
[[nodiscard]] std::optional<DevicePeaks> device_peaks(std::string_view device_name);

}  // namespace stepbench::ops
