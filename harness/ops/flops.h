// SPDX-License-Identifier: Apache-2.0
// Floating-point operations of one call of an op, from the shapes of its inputs. A multiply-add is
// two operations. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace stepbench::ops {

// `shapes` and `arguments` as in OpLog: "[[8, 32], [32, 64]]". nullopt for an op that is not known
// or whose inputs do not tell: a convolution needs its stride, padding and dilation in `arguments`.
// An op that only calls another counted one (aten::linear, aten::matmul) has none, so that sums
// over ops count nothing twice; where an op calls itself again (autocast), the inner call counts.
//
//   aten::mm, addmm, bmm, baddbmm             2 b m n k
//   aten::add, mul                            elements of the result, as torch.profiler counts
//   aten::conv1d, conv2d, conv3d              2 N C_out prod(out) (C_in / groups) prod(kernel)
//   aten::conv_transpose{1,2,3}d              the same over the input's extent
//   aten::convolution_backward                forward, once for each of grad_input and grad_weight
//                                             that `arguments` ask for (both when they are absent)
//   attention kernels                         forward 2 b h s_q s_k (d + d_v); backward 2.5 times
[[nodiscard]] std::optional<std::int64_t> flops(std::string_view name, std::string_view shapes,
                                                std::string_view arguments = {});

using Shape = std::vector<std::int64_t>;

// 2 N C_out prod(out) (C_in / groups) prod(kernel); weight is [C_out, C_in / groups, kernel...].
[[nodiscard]] std::int64_t convolution_flops(std::span<const std::int64_t> output,
                                             std::span<const std::int64_t> weight);
[[nodiscard]] std::int64_t matrix_flops(std::int64_t batch, std::int64_t m, std::int64_t n,
                                        std::int64_t k);

// "[[8, 32], [], [4]]" -> {{8, 32}, {}, {4}}; nullopt if it is no list of integer lists.
[[nodiscard]] std::optional<std::vector<Shape>> parse_shapes(std::string_view text);

}  // namespace stepbench::ops
