// SPDX-License-Identifier: Apache-2.0
// Time stamps as text, in the format of result files. Pure; any thread.
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

}  // namespace stepbench::text
