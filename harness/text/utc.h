// SPDX-License-Identifier: Apache-2.0
// A point in time as text, the way it stands in result files. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace stepbench {

// 2026-01-31T12:00:00Z
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);
// Back again, to the second; also of a date alone, which is its midnight. Nothing for any other
// text, and for a day that no month has.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_utc(std::string_view text);
// "2026-01-31 12:00 UTC" for people; any text that is no time of the form above stays as it is.
[[nodiscard]] std::string minute_text(const std::string& utc);

}  // namespace stepbench
