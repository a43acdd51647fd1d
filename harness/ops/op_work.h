// SPDX-License-Identifier: Apache-2.0
// What one call of an op computes and moves, from the shapes of its inputs: the one place of these
// formulas, from which FLOPs, MFU and efficiency follow. A multiply-add is two operations. Pure.
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
  bool backward = false;   // by the op's name; a matrix product is the same in either direction
  std::int64_t flops = 0;  // as torch.utils.flop_counter counts
  // Of these behind a causal mask, half where queries and keys are as many: kernels leave them out.
  std::int64_t masked_flops = 0;
  // Of all tensors read and written, each once: the least that memory has to move. 0: not known.
  std::int64_t elements = 0;
  std::size_t typed_input = 0;  // whose type the arithmetic has
};

// `shapes` and `arguments` as in OpLog: "[[8, 32], [32, 64]]" and ["", "", "", "[2, 2]"]. nullopt
// for an op that is not known or whose inputs do not tell: a convolution needs its stride, padding
// and dilation in `arguments`. With d_v the width of the values and x, w, o the elements of input,
// weight and output:
//
//   op                                    flops                                    elements
//   mm, addmm, bmm, baddbmm, _scaled_mm   2 b m n k                                b (mk + kn + mn)
//   add, mul                              elements of the result                   inputs, result
//   conv1d, conv2d, conv3d, convolution   2 N C_out prod(out) (C_in / groups)
//                                           prod(kernel)                           x + w + o
//   conv_transpose{1,2,3}d                the same over the input's extent         -
//   convolution_backward                  forward, once for each of grad_input     x + w + o for
//                                           and grad_weight that are asked for       each
//   attention kernels                     2 b h s_q s_k (d + d_v)                  q + k + v + o
//   their backward                        2.5 times                                2 (q + k + v +
//   o)
//
// addmm, baddbmm and convolutions read their bias too. grad_input and grad_weight are both counted
// where `arguments` are absent.
[[nodiscard]] std::optional<OpWork> work_of(std::string_view name, std::string_view shapes,
                                            std::string_view arguments = {});
// Is there a formula for an op of this name?
[[nodiscard]] bool has_work(std::string_view name);
// Is it one that others with a formula call, or that calls them (aten::convolution)? Sums over all
// ops leave it out; see flops.h.
[[nodiscard]] bool is_counted_elsewhere(std::string_view name);

}  // namespace stepbench::ops
