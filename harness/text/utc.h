// SPDX-License-Identifier: Apache-2.0
// A point in time as text, the way it stands in result files. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace stepbench::text {

// 2026-01-31T12:00:00Z
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);

// Of such a text: 20260131-120000, as names of runs begin.
[[nodiscard]] std::string compact_utc(std::string_view utc);

// 2026-01-31, 2026-01-31 12:00 or 2026-01-31T12:00:00Z, always UTC; nullopt for any other text and
// for a day that no calendar has.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_utc(std::string_view text);

// "2026-01-31 12:00 UTC" for people; any text that is no time of the first form stays as it is.
[[nodiscard]] std::string minute_text(const std::string& utc);

}  // namespace stepbench::text
