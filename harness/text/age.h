// SPDX-License-Identifier: Apache-2.0
// Formats and parses ages. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace stepbench::text {

// "45 s", "12 min", "5 h", "3 days", "6 weeks", "14 months": one unit, rounded down. "0 s" for a
// negative age.
[[nodiscard]] std::string age_text(std::chrono::seconds age);

// Parses "30d", "36h", "2w", "90min", "45s" or "30 days": a whole number and a unit (s, min, h, d,
// w or their words). Returns nullopt for anything else. kAgeExamples is the expected form in error
// messages.
[[nodiscard]] std::optional<std::chrono::seconds> parse_age(std::string_view text);
inline constexpr std::string_view kAgeExamples = "an age such as 30d, 36h or 2w";

}  // namespace stepbench::text
