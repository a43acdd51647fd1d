// SPDX-License-Identifier: Apache-2.0
// Mutual authentication by a group's token, which is never transmitted: each end answers the
// other's challenge. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::fleet {

// HMAC-SHA-256 (RFC 2104) in hex over the speaker and both challenges, so that an answer cannot be
// replayed on another connection or by the other end.
[[nodiscard]] std::string proof(std::string_view token, std::string_view role,
                                std::string_view of_rank, std::string_view of_controller);
inline constexpr std::string_view kRank = "rank";
inline constexpr std::string_view kController = "controller";

// Constant-time comparison.
[[nodiscard]] bool is_same(std::string_view one, std::string_view other);

}  // namespace stepbench::fleet
