// SPDX-License-Identifier: Apache-2.0
#include "harness/foreign/time_text.h"

#include <charconv>
#include <chrono>
#include <cmath>

#include "harness/text/utc.h"

namespace stepbench::foreign {
namespace {

using Seconds = std::chrono::seconds;

// A typing error otherwise, and far from what nanoseconds in 64 bits can hold.
constexpr int kFirstYear = 1970;
constexpr int kLastYear = 2200;

// Reads on from the front.
class DateReader {
 public:
  explicit DateReader(std::string_view text) : rest_(text) {}

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] char front() const { return rest_.empty() ? '\0' : rest_.front(); }

  std::optional<int> digits(std::size_t least, std::size_t most) {
    std::size_t count = 0;
    while (count < most && count < rest_.size() && rest_[count] >= '0' && rest_[count] <= '9') {
      ++count;
    }
    if (count < least) return std::nullopt;
    int number = 0;
    std::from_chars(rest_.data(), rest_.data() + count, number);
    rest_.remove_prefix(count);
    return number;
  }

  bool skip(std::string_view any_of) {
    if (rest_.empty() || any_of.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void skip_digits() {
    while (front() >= '0' && front() <= '9') rest_.remove_prefix(1);
  }

 private:
  std::string_view rest_;
};

std::optional<Seconds> date_in(DateReader& reader) {
  const auto year = reader.digits(4, 4);
  if (!year || !reader.skip("-./")) return std::nullopt;
  const auto month = reader.digits(1, 2);
  if (!month || !reader.skip("-./")) return std::nullopt;
  const auto day = reader.digits(1, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok() || *year < kFirstYear || *year > kLastYear) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch();
}

std::optional<Seconds> clock_in(DateReader& reader) {
  const auto hour = reader.digits(1, 2);
  if (!hour || !reader.skip(":")) return std::nullopt;
  const auto minute = reader.digits(2, 2);
  int second = 0;
  if (reader.skip(":")) {
    const auto given = reader.digits(2, 2);
    if (!given) return std::nullopt;
    second = *given;
    if (reader.skip(".,")) reader.skip_digits();
  }
  if (!minute || *hour > 23 || *minute > 59 || second > 60) return std::nullopt;
  return std::chrono::hours(*hour) + std::chrono::minutes(*minute) + Seconds(second);
}

// East of Greenwich. "", "Z", "UTC", "+01:00", "-0500", "+01"
std::optional<Seconds> zone_in(DateReader& reader) {
  (void)reader.skip(" ");
  if (reader.at_end()) return Seconds(0);
  if (reader.skip("Zz")) return reader.at_end() ? std::optional(Seconds(0)) : std::nullopt;
  if (reader.skip("U")) {
    const bool utc = reader.skip("T") && reader.skip("C") && reader.at_end();
    return utc ? std::optional(Seconds(0)) : std::nullopt;
  }
  const int sign = reader.front() == '-' ? -1 : 1;
  if (!reader.skip("+-")) return std::nullopt;
  const auto hours = reader.digits(2, 2);
  if (!hours || *hours > 18) return std::nullopt;
  int minutes = 0;
  (void)reader.skip(":");
  if (!reader.at_end()) {
    const auto given = reader.digits(2, 2);
    if (!given || *given > 59 || !reader.at_end()) return std::nullopt;
    minutes = *given;
  }
  return sign * (std::chrono::hours(*hours) + std::chrono::minutes(minutes));
}

std::string utc_text_of(Seconds since_1970) {
  return text::utc_text(std::chrono::system_clock::time_point(since_1970));
}

// A number is taken for the unit in which it lies after 2001 and before 2200.
std::optional<std::string> since_1970(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr double kFirst = 1e9;
  constexpr double kLast = 7.26e9;
  for (const double per_second : {1.0, 1e3, 1e6, 1e9}) {
    const double seconds = number / per_second;
    if (seconds >= kFirst && seconds <= kLast) {
      return utc_text_of(Seconds(static_cast<std::int64_t>(std::floor(seconds))));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> utc_of(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  DateReader reader(text);
  const auto date = date_in(reader);
  if (!date) return since_1970(text);
  Seconds clock(0);
  if (!reader.at_end()) {
    if (!reader.skip("T _")) return std::nullopt;
    const auto given = clock_in(reader);
    if (!given) return std::nullopt;
    clock = *given;
  }
  const auto zone = zone_in(reader);
  if (!zone) return std::nullopt;
  return utc_text_of(*date + clock - *zone);
}

std::string later(const std::string& utc, long seconds) {
  const auto time = text::parse_utc(utc);
  return time ? text::utc_text(*time + Seconds(seconds)) : utc;
}

}  // namespace stepbench::foreign
