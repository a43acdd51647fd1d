// SPDX-License-Identifier: Apache-2.0
// Points in time as text: as result files have them, and as ages. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace stepbench::text {

// 2026-01-31T12:00:00Z
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);

// Converts such a text to 20260131-120000, the prefix of run names.
[[nodiscard]] std::string compact_utc(std::string_view utc);

// 2026-01-31, 2026-01-31 12:00 or 2026-01-31T12:00:00Z, always UTC; nullopt for any other text and
// for days that do not exist.
[[nodiscard]] std::optional<std::chrono::system_clock::time_point> parse_utc(std::string_view text);

// "2026-01-31 12:00 UTC" for people; text that is not a time of the first form is returned
// unchanged.
[[nodiscard]] std::string minute_text(const std::string& utc);

// "45 s", "12 min", "5 h", "3 days", "6 weeks", "14 months": one unit, rounded down. "0 s" for a
// negative age.
[[nodiscard]] std::string age_text(std::chrono::seconds age);

// Parses "30d", "36h", "2w", "90min", "45s" or "30 days": a whole number and a unit (s, min, h, d,
// w or their words). Returns nullopt for anything else. kAgeExamples is the expected form in error
// messages.
[[nodiscard]] std::optional<std::chrono::seconds> parse_age(std::string_view text);
inline constexpr std::string_view kAgeExamples = "an age such as 30d, 36h or 2w";

}  // namespace stepbench::text
