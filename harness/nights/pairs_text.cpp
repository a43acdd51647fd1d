// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/pairs_text.h"

#include <array>
#include <charconv>
#include <cmath>

#include "harness/json/line_error.h"

namespace stepbench::nights {
namespace {

constexpr double kResolution = 1e-8;

}  // namespace

double rounded_pair(double pair) { return std::round(pair / kResolution) * kResolution; }

std::string pairs_text(const std::vector<double>& pairs) {
  std::string text;
  std::array<char, 32> digits{};
  for (const double pair : pairs) {
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(),
                                            rounded_pair(pair), std::chars_format::general, 9);
    if (!text.empty()) text += ' ';
    text.append(digits.data(), end);
  }
  return text;
}

std::vector<double> pairs_of_text(std::string_view text) {
  std::vector<double> pairs;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at < end) {
    double pair = 0;
    const auto [next, error] = std::from_chars(at, end, pair);
    if (error != std::errc() || !std::isfinite(pair))
      throw json::LineError("field 'pairs' is not a list of numbers");
    pairs.push_back(pair);
    at = next < end ? next + 1 : next;
  }
  return pairs;
}

}  // namespace stepbench::nights
