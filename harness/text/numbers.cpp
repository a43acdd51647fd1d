// SPDX-License-Identifier: Apache-2.0
#include "harness/text/numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <vector>

namespace stepbench {
namespace {

constexpr std::array<TimeUnit, 4> kTimeUnits = {{{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}}};

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; }

std::string fixed(double value, int decimals) {
  std::array<char, 400> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::fixed, decimals);
  return {buffer.data(), result.ptr};
}

int decimals_for(double value, int digits) {
  if (value == 0) return 0;
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  return std::clamp(digits - 1 - magnitude, 0, 12);
}

}  // namespace

std::string significant(double value, int digits) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  const int decimals = decimals_for(value, digits);
  std::string text = fixed(value, decimals);
  // 9.996 rounds up to 10.00, which has a digit more than asked for.
  const int rounded = decimals_for(std::strtod(text.c_str(), nullptr), digits);
  return rounded < decimals ? fixed(value, rounded) : text;
}

std::string interval_text(double low, double high) {
  int digits = 3;
  while (digits < 6 && low != high && significant(low, digits) == significant(high, digits)) {
    ++digits;
  }
  return '[' + significant(low, digits) + ", " + significant(high, digits) + ']';
}

std::string percent(double share) {
  const double value = share * 100;
  if (!std::isfinite(value)) return significant(value);
  return std::abs(value) < 99.95 ? fixed(value, 1) : fixed(value, 0);
}

std::string with_separators(std::int64_t count) {
  std::string text = std::to_string(count);
  const std::size_t first = count < 0 ? 1 : 0;
  for (std::size_t at = text.size(); at > first + 3;) text.insert(at -= 3, 1, ',');
  return text;
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

std::string byte_text(double bytes) {
  constexpr std::array<std::string_view, 5> kNames = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  while (std::abs(bytes) >= 1024 && unit + 1 < kNames.size()) {
    bytes /= 1024;
    ++unit;
  }
  return significant(bytes) + ' ' + std::string(kNames.at(unit));
}

std::string bar(double share, std::size_t cells) {
  constexpr std::array<std::string_view, 8> kParts = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clamped = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  const auto eighths =
      static_cast<std::size_t>(std::lround(clamped * static_cast<double>(cells) * 8));
  std::string drawn;
  for (std::size_t i = 0; i < eighths / 8; ++i) drawn += "█";
  return drawn + std::string(kParts.at(eighths % 8));
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string shortened(std::string_view text, std::size_t cells) {
  if (width(text) <= cells) return std::string(text);
  if (cells == 0) return {};
  std::size_t used = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    if (!is_continuation(text[at]) && ++used == cells) break;
    ++at;
  }
  std::string cut(text.substr(0, at));
  while (!cut.empty() && cut.back() == ' ') cut.pop_back();
  return cut + "…";
}

}  // namespace stepbench
