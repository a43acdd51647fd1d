// SPDX-License-Identifier: Apache-2.0
#include "harness/text/utc.h"

#include <algorithm>
#include <array>
#include <ctime>

namespace stepbench {
namespace {

constexpr std::string_view kPattern = "0000-00-00T00:00:00Z";  // 0: a digit
constexpr std::size_t kDateLength = 10;

bool has_the_form(std::string_view text) {
  if (text.size() != kPattern.size() && text.size() != kDateLength) return false;
  return std::equal(text.begin(), text.end(), kPattern.begin(), [](char c, char wanted) {
    return wanted == '0' ? c >= '0' && c <= '9' : c == wanted;
  });
}

// Of the digits from `from` on.
int digits(std::string_view text, std::size_t from, std::size_t count) {
  int number = 0;
  for (const char c : text.substr(from, count)) number = 10 * number + (c - '0');
  return number;
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

std::optional<std::chrono::system_clock::time_point> parse_utc(std::string_view text) {
  using namespace std::chrono;
  if (!has_the_form(text)) return std::nullopt;
  const year_month_day date{year(digits(text, 0, 4)),
                            month(static_cast<unsigned>(digits(text, 5, 2))),
                            day(static_cast<unsigned>(digits(text, 8, 2)))};
  if (!date.ok()) return std::nullopt;
  if (text.size() == kDateLength) return sys_days(date);
  const int hour = digits(text, 11, 2);
  const int minute = digits(text, 14, 2);
  const int second = digits(text, 17, 2);
  if (hour > 23 || minute > 59 || second > 59) return std::nullopt;
  return sys_days(date) + hours(hour) + minutes(minute) + seconds(second);
}

std::string minute_text(const std::string& utc) {
  constexpr std::size_t kMinute = 16;
  if (utc.size() != kPattern.size() || utc[kDateLength] != 'T') return utc;
  return utc.substr(0, kDateLength) + ' ' + utc.substr(kDateLength + 1, kMinute - kDateLength - 1) +
         " UTC";
}

}  // namespace stepbench
