// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/number_text.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace stepbench::traces {
namespace {

constexpr int kMaxDigits = 19;  // always fits std::uint64_t

bool digit(char c) { return c >= '0' && c <= '9'; }

// 0.DIGITS * 10^point, with all significant digits.
struct Decimal {
  std::uint64_t digits = 0;
  int count = 0;  // number of digits in `digits`
  int point = 0;
  bool negative = false;
  int next = 0;  // the first digit that was dropped
};

// Blanks, signs and exponents as in JSON; nullopt: invalid number.
std::optional<Decimal> decimal(std::string_view text) {
  Decimal out;
  const char* at = text.data();
  const char* const end = at + text.size();
  if (at < end && *at == '-') {
    out.negative = true;
    ++at;
  }
  if (at == end || !digit(*at)) return std::nullopt;
  bool after_point = false;
  bool kept_all = true;
  for (; at < end; ++at) {
    if (*at == '.') {
      if (after_point || at + 1 == end || !digit(at[1])) return std::nullopt;
      after_point = true;
      continue;
    }
    if (!digit(*at)) break;
    const int value = *at - '0';
    if (out.count == 0 && value == 0) {
      if (after_point) --out.point;
      continue;
    }
    if (out.count < kMaxDigits) {
      out.digits = out.digits * 10 + std::uint64_t(value);
      ++out.count;
    } else if (kept_all) {
      out.next = value;
      kept_all = false;
    }
    if (!after_point) ++out.point;
  }
  if (at < end) {
    if (*at != 'e' && *at != 'E') return std::nullopt;
    ++at;
    if (at < end && *at == '+') ++at;
    int exponent = 0;
    const auto [stop, error] = std::from_chars(at, end, exponent);
    if (error != std::errc{} || stop != end) return std::nullopt;
    constexpr int kFar = 100'000;
    if (exponent > kFar || exponent < -kFar) exponent = exponent > 0 ? kFar : -kFar;
    out.point += exponent;
  }
  return out;
}

std::uint64_t power_of_ten(int exponent) {
  std::uint64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

}  // namespace

std::string_view unquoted(std::string_view text) {
  if (text.size() < 2 || text.front() != '"' || text.back() != '"') return text;
  return text.substr(1, text.size() - 2);
}

std::optional<TimeText> microseconds_text(std::string_view text) {
  constexpr int kNsDigits = 3;
  constexpr auto kMax = std::uint64_t(kLatestNs);
  // The common format of profilers: up to 16 digits, a point, up to three digits.
  constexpr std::size_t kShort = 16;
  std::size_t i = 0;
  std::int64_t whole = 0;
  while (i < text.size() && i < kShort && digit(text[i])) whole = whole * 10 + (text[i++] - '0');
  const bool small = i > 0 && whole < kLatestNs / 1000;
  if (small && i == text.size()) return TimeText{whole * 1000, false};
  if (small && text[i] == '.' && text.size() - i <= kNsDigits + 1) {
    std::int64_t ns = 0;
    std::int64_t unit = 100;
    for (++i; i < text.size() && digit(text[i]); ++i, unit /= 10) ns += (text[i] - '0') * unit;
    if (i == text.size() && text.back() != '.') return TimeText{whole * 1000 + ns, ns != 0};
  }
  const std::optional<Decimal> number = decimal(unquoted(text));
  if (!number) return std::nullopt;
  if (number->count == 0) return TimeText{};
  const int ns_point = number->point + kNsDigits;  // number of digits before the point in ns
  constexpr int kMostDigits = 19;
  if (ns_point > kMostDigits) return std::nullopt;
  if (ns_point < 0) return TimeText{0, true};
  std::uint64_t ns = 0;
  bool rest = number->next != 0;
  if (ns_point >= number->count) {
    const std::uint64_t scale = power_of_ten(ns_point - number->count);
    if (number->digits > kMax / scale) return std::nullopt;
    ns = number->digits * scale + (scale == 1 && number->next >= 5 ? 1 : 0);
  } else {
    const std::uint64_t divisor = power_of_ten(number->count - ns_point);
    const std::uint64_t left = number->digits % divisor;
    ns = number->digits / divisor + (left >= divisor - left ? 1 : 0);
    rest = rest || left != 0;
  }
  if (ns >= kMax) return std::nullopt;
  const auto value = std::int64_t(ns);
  return TimeText{number->negative ? -value : value, rest || ns % 1000 != 0};
}

std::optional<std::int64_t> integer_text(std::string_view text) {
  const std::string_view bare = unquoted(text);
  std::int64_t value = 0;
  const char* const end = bare.data() + bare.size();
  const auto [stop, error] = std::from_chars(bare.data(), end, value);
  if (error == std::errc{} && stop == end) return value;
  const std::optional<double> real = real_text(text);
  constexpr double kExact = 9007199254740992;  // 2^53
  if (!real || std::abs(*real) > kExact || *real != std::floor(*real)) return std::nullopt;
  return std::int64_t(*real);
}

std::optional<std::uint64_t> unsigned_text(std::string_view text) {
  const std::string_view bare = unquoted(text);
  std::uint64_t value = 0;
  const char* const end = bare.data() + bare.size();
  const auto [stop, error] = std::from_chars(bare.data(), end, value);
  if (error == std::errc{} && stop == end) return value;
  const std::optional<std::int64_t> integer = integer_text(text);
  if (!integer || *integer < 0) return std::nullopt;
  return std::uint64_t(*integer);
}

std::optional<double> real_text(std::string_view text) {
  const std::string_view bare = unquoted(text);
  double value = 0;
  const char* const end = bare.data() + bare.size();
  const auto [stop, error] = std::from_chars(bare.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace stepbench::traces
