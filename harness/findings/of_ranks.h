// SPDX-License-Identifier: Apache-2.0
// What findings, verdicts and failures say of the ranks of a group. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace stepbench::findings {

// Who holds the others up.
inline constexpr const char* kStragglerFinding = "ranks.straggler";

// "rank 1", "ranks 0, 2 and 3"
[[nodiscard]] std::string rank_names(std::span<const std::int64_t> ranks);

}  // namespace stepbench::findings
