// SPDX-License-Identifier: Apache-2.0
// Floating-point operations of one call of an op: what sums over all ops of a step or a log add up.
// Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepbench::ops {

// OpWork::flops, by the formulas of op_work.h. An op that only calls another counted one, or that
// another counted one calls (aten::linear, aten::convolution, aten::matmul), has none, so that sums
// over ops count nothing twice; where an op calls itself again (autocast), the inner call counts.
[[nodiscard]] std::optional<std::int64_t> flops(std::string_view name, std::string_view shapes,
                                                std::string_view arguments = {});

}  // namespace stepbench::ops
