// SPDX-License-Identifier: Apache-2.0
#include "harness/text/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "harness/base/format.h"

namespace stepbench::text {
namespace {

constexpr std::array<TimeUnit, 4> kTimeUnits = {{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::fixed, decimals);
  const std::string_view text(buffer.data(), result.ptr);
  const bool minus_zero = text.find_first_not_of("-0.") == text.npos && text.front() == '-';
  return std::string(text.substr(minus_zero ? 1 : 0));
}

int decimals_for(double value, int digits) {
  if (value == 0) return 0;
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return std::clamp(digits - 1 - magnitude, 0, 12);
}

// 1234.5 -> 1,234.5
std::string separated(std::string text) {
  const std::size_t first = text.starts_with('-') ? 1 : 0;
  for (std::size_t at = std::min(text.find('.'), text.size()); at > first + 3;) {
    text.insert(at -= 3, 1, ',');
  }
  return text;
}

std::string two_digits(std::int64_t value) {
  return (value < 10 ? "0" : "") + std::to_string(value);
}

// Parses all of `text` as a CPU number.
std::optional<int> cpu_number(std::string_view text) {
  constexpr int kMaxCpu = 65'535;
  int value = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  return whole && value >= 0 && value <= kMaxCpu ? std::optional{value} : std::nullopt;
}

}  // namespace

std::string significant(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const int decimals = decimals_for(value, digits);
  std::string text = fixed(value, decimals);
  // 9.996 rounds up to 10.00, one digit more than requested.
  const int rounded = decimals_for(std::strtod(text.c_str(), nullptr), digits);
  return separated(rounded < decimals ? fixed(value, rounded) : std::move(text));
}

std::string interval_text(double low, double high) {
  int digits = 3;
  while (digits < 6 && low != high && significant(low, digits) == significant(high, digits)) {
    ++digits;
  }
  const std::string from = significant(low, digits);
  const std::string to = significant(high, digits);
  const bool commas = (from + to).find(',') != std::string::npos;
  return formatted("[{}{}{}]", from, commas ? " to " : ", ", to);
}

std::string short_number(double value, int decimals) {
  if (!std::isfinite(value)) return significant(value);
  std::string text = fixed(value, decimals);
  if (text.find('.') != std::string::npos) text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

std::string percent(double share) {
  const double value = share * 100;
  if (!std::isfinite(value)) return significant(value);
  return std::abs(value) < 99.95 ? fixed(value, 1) : fixed(value, 0);
}

std::string percent_text(double share) {
  constexpr double kOneDecimalFrom = 0.995;
  const double value = std::abs(share * 100);
  if (value == 0) return "0 %";
  return (value < kOneDecimalFrom ? fixed(share * 100, 2) : percent(share)) + " %";
}

std::string signed_percent(double change) {
  if (std::isnan(change)) return "?";
  if (std::isinf(change)) return change > 0 ? "inf" : "?";
  const std::string text = fixed(100 * change, std::abs(change) < 0.09995 ? 2 : 1);
  return text.front() == '-' ? text : '+' + text;
}

std::string with_separators(std::int64_t count) { return separated(std::to_string(count)); }

std::string rough_count(double count) {
  if (!std::isfinite(count) || count > 1e18) return significant(count);
  const double unit = std::pow(10, std::max(0.0, std::floor(std::log10(count)) - 1));
  return with_separators(std::llround(std::ceil(count / unit) * unit));
}

TimeUnit unit_for(std::span<const double> times_ns) {
  std::vector<double> sorted(times_ns.begin(), times_ns.end());
  if (sorted.empty()) return kTimeUnits[2];
  std::sort(sorted.begin(), sorted.end());
  const double middle = std::abs(sorted[sorted.size() / 2]);
  TimeUnit best = kTimeUnits[0];
  for (const TimeUnit& unit : kTimeUnits) {
    if (middle >= unit.ns) best = unit;
  }
  return best;
}

std::string duration(double ns) {
  const TimeUnit unit = unit_for({&ns, 1});
  return significant(ns / unit.ns) + ' ' + std::string(unit.name);
}

std::string signed_duration(double ns) { return (ns < 0 ? "-" : "+") + duration(std::abs(ns)); }

std::string seconds_text(double seconds) { return short_number(seconds, 3) + " s"; }

std::string rough_duration(double seconds) {
  constexpr std::int64_t kMinutesPerDay = 24 * 60;
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 120) return formatted("{} s", whole);
  const std::int64_t minutes = (whole + 30) / 60;
  if (whole < 7200) return formatted("{} min", minutes);
  if (minutes < 3 * kMinutesPerDay) {
    return formatted("{} h {} min", minutes / 60, minutes % 60);
  }
  return formatted("{} days", (minutes + kMinutesPerDay / 2) / kMinutesPerDay);
}

std::string clock_text(std::int64_t ns) {
  const std::int64_t seconds = std::max<std::int64_t>(ns, 0) / 1'000'000'000;
  const std::int64_t minutes = seconds / 60;
  if (minutes < 60) return formatted("{}:{}", minutes, two_digits(seconds % 60));
  return formatted("{}:{}:{}", minutes / 60, two_digits(minutes % 60), two_digits(seconds % 60));
}

std::string byte_text(double bytes) {
  constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < kNames.size()) {
    bytes /= 1024;
    ++unit;
  }
  return significant(bytes) + ' ' + std::string(kNames.at(unit));
}

std::string cpu_list_text(std::span<const int> cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(cpus[first]);
    if (last > first) text += formatted("-{}", cpus[last]);
    first = last + 1;
  }
  return text;
}

std::optional<std::vector<int>> parse_cpu_list(std::string_view list) {
  std::vector<int> cpus;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string_view range = list.substr(at, end - at);
    at = end + 1;
    const std::size_t dash = range.find('-');
    const auto first = cpu_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : cpu_number(range.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    for (int cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  }
  return cpus;
}

std::optional<double> parse_share(std::string_view text) {
  double value = 0;
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const double share = percent ? value / 100 : value;
  if (error != std::errc{} || end != text.data() + text.size() || !(share >= 0 && share < 1)) {
    return std::nullopt;
  }
  return share;
}

}  // namespace stepbench::text
