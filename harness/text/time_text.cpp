// SPDX-License-Identifier: Apache-2.0
#include "harness/text/time_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <ctime>
#include <initializer_list>
#include <utility>

namespace stepbench::text {
namespace {

// Removes exactly `digits` digits from the front, no sign; nullopt for anything else.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int number = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    number = 10 * number + (c - '0');
  }
  text.remove_prefix(digits);
  return number;
}

bool take_one_of(std::string_view& text, std::string_view characters) {
  if (text.empty() || characters.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Parses the part after the date: empty, or a time of day.
std::optional<std::chrono::seconds> time_of_day(std::string_view text) {
  using namespace std::chrono_literals;
  if (text.empty()) return 0s;
  if (!take_one_of(text, "T ")) return std::nullopt;
  const auto hour = take_digits(text, 2);
  if (!hour || !take_one_of(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  std::optional<int> second = 0;
  if (take_one_of(text, ":")) second = take_digits(text, 2);
  (void)take_one_of(text, "Z");
  if (!minute || !second || !text.empty()) return std::nullopt;
  if (*hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  return std::chrono::hours{*hour} + std::chrono::minutes{*minute} + std::chrono::seconds{*second};
}

}  // namespace

std::string utc_text(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), size};
}

std::string compact_utc(std::string_view utc) {
  std::string text;
  for (const char c : utc) {
    if (c >= '0' && c <= '9') text += c;
    if (c == 'T') text += '-';
  }
  return text;
}

std::optional<std::chrono::system_clock::time_point> parse_utc(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_one_of(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_one_of(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  const auto time = time_of_day(text);
  if (!date.ok() || !time) return std::nullopt;
  // Seconds cover more years than the clock's nanoseconds do.
  const std::chrono::sys_seconds seconds = std::chrono::sys_days{date} + *time;
  using Clock = std::chrono::system_clock;
  if (seconds < std::chrono::ceil<std::chrono::seconds>(Clock::time_point::min()) ||
      seconds > std::chrono::floor<std::chrono::seconds>(Clock::time_point::max())) {
    return std::nullopt;
  }
  return seconds;
}

std::string minute_text(const std::string& utc) {
  constexpr std::size_t kSize = std::string_view("2026-01-31T12:00:00Z").size();
  constexpr std::size_t kDate = std::string_view("2026-01-31").size();
  constexpr std::size_t kTime = std::string_view("12:00").size();
  if (utc.size() != kSize || utc[kDate] != 'T') return utc;
  std::string text = utc.substr(0, kDate + 1 + kTime);
  text[kDate] = ' ';
  return text += " UTC";
}

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
