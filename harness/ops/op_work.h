// SPDX-License-Identifier: Apache-2.0
// Operations and memory traffic of one call of an op, from the shapes of its inputs. The only place
// for these formulas, which FLOPs, MFU and efficiency use. A multiply-add is two operations. Pure.
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
// over all ops exclude it; see op_work.h.
[[nodiscard]] bool is_counted_elsewhere(std::string_view name);

// Returns OpWork::flops by the formulas of op_work.h. nullopt for an op that only calls another
// counted op or is called by one (aten::linear, aten::convolution, aten::matmul), so that sums over
// ops count nothing twice. If an op calls itself again (autocast), the inner call counts.
[[nodiscard]] std::optional<std::int64_t> flops(std::string_view name, std::string_view shapes,
                                                std::string_view arguments = {});

}  // namespace stepbench::ops
