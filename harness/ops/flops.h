// SPDX-License-Identifier: Apache-2.0
// Floating-point operations of one call of an op, for sums over all ops. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stepbench::ops {

// Returns OpWork::flops by the formulas of op_work.h. nullopt for an op that only calls another
// counted op or is called by one (aten::linear, aten::convolution, aten::matmul), so that sums over
// ops count nothing twice. If an op calls itself again (autocast), the inner call counts.
[[nodiscard]] std::optional<std::int64_t> flops(std::string_view name, std::string_view shapes,
                                                std::string_view arguments = {});

}  // namespace stepbench::ops
