// SPDX-License-Identifier: Apache-2.0
// How long ago something was, in words and as people type it. Pure; any thread.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace stepbench::text {

// "45 s", "12 min", "5 h", "3 days", "6 weeks", "14 months": one unit, rounded down. "0 s" for what
// lies ahead.
[[nodiscard]] std::string age_text(std::chrono::seconds age);

// "30d", "36h", "2w", "90min", "45s", also "30 days": a whole number and a unit (s, min, h, d, w or
// their words); nullopt for anything else. What an option that takes an age names as expected.
[[nodiscard]] std::optional<std::chrono::seconds> parse_age(std::string_view text);
inline constexpr std::string_view kAgeExamples = "an age such as 30d, 36h or 2w";

}  // namespace stepbench::text
