// SPDX-License-Identifier: Apache-2.0
// Ranks of a group in findings, verdicts and failures. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace stepbench::findings {

inline constexpr const char* kStragglerFinding = "ranks.straggler";

// "rank 1", "ranks 0, 2 and 3"
[[nodiscard]] std::string rank_names(std::span<const std::int64_t> ranks);

}  // namespace stepbench::findings
