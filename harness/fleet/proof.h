// SPDX-License-Identifier: Apache-2.0
// How the two ends of a connection show that they know a group's token, which itself never travels:
// each answers the other's challenge. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::fleet {

// HMAC-SHA-256 (RFC 2104) in hex, of who speaks and of the challenges of both: what one connection
// or one end said is no answer for another.
[[nodiscard]] std::string proof(std::string_view token, std::string_view who,
                                std::string_view of_rank, std::string_view of_controller);
inline constexpr std::string_view kRank = "rank";
inline constexpr std::string_view kController = "controller";

// Whether they are the same, in a time that tells nothing of where they differ.
[[nodiscard]] bool is_same(std::string_view one, std::string_view other);

}  // namespace stepbench::fleet
