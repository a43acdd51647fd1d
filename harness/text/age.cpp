// SPDX-License-Identifier: Apache-2.0
#include "harness/text/age.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <utility>

namespace stepbench::text {
namespace {

constexpr std::int64_t kHour = 3600;
constexpr std::int64_t kDay = 24 * kHour;
constexpr std::int64_t kWeek = 7 * kDay;
constexpr std::int64_t kMonth = 30 * kDay;

struct AgeUnit {
  std::string_view name;
  std::int64_t seconds;
};
constexpr std::array kTyped = {
    AgeUnit{"s", 1},         AgeUnit{"second", 1},   AgeUnit{"seconds", 1},  AgeUnit{"min", 60},
    AgeUnit{"minute", 60},   AgeUnit{"minutes", 60}, AgeUnit{"h", kHour},    AgeUnit{"hour", kHour},
    AgeUnit{"hours", kHour}, AgeUnit{"d", kDay},     AgeUnit{"day", kDay},   AgeUnit{"days", kDay},
    AgeUnit{"w", kWeek},     AgeUnit{"week", kWeek}, AgeUnit{"weeks", kWeek}};

}  // namespace

std::string age_text(std::chrono::seconds age) {
  // Switch to a larger unit only from two of it on, so that rounding down loses little.
  const std::int64_t seconds = std::max<std::int64_t>(age.count(), 0);
  const auto words = [&](std::int64_t unit, const std::string& name) {
    return std::to_string(seconds / unit) + ' ' + name;
  };
  if (seconds < 120) return words(1, "s");
  if (seconds < 2 * kHour) return words(60, "min");
  if (seconds < 2 * kDay) return words(kHour, "h");
  if (seconds < 2 * kWeek) return words(kDay, "days");
  if (seconds < 3 * kMonth) return words(kWeek, "weeks");
  return words(kMonth, "months");
}

std::optional<std::chrono::seconds> parse_age(std::string_view text) {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc{} || count < 0 || text.starts_with('-')) return std::nullopt;
  std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  if (unit.starts_with(' ')) unit.remove_prefix(1);
  const auto* const found = std::find_if(kTyped.begin(), kTyped.end(),
                                         [&](const AgeUnit& each) { return each.name == unit; });
  constexpr std::int64_t kMaxSeconds = 1'000 * 366 * kDay;
  if (found == kTyped.end() || count > kMaxSeconds / found->seconds) return std::nullopt;
  return std::chrono::seconds{count * found->seconds};
}

}  // namespace stepbench::text
