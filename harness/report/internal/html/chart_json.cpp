// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/html/chart_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "harness/text/printable.h"

namespace stepbench::report {

json::JsonText chart(std::string_view name) {
  json::JsonText json;
  json.open_object().text("chart", name);
  return json;
}

std::string drawn_number(double value) {
  if (!std::isfinite(value)) return "null";
  constexpr int kDigits = 6;
  std::array<char, 40> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::general, kDigits);
  return {text.data(), end.ptr};
}

std::string chart_text(std::string_view text) {
  constexpr std::size_t kCells = 240;
  return text::shortened_inside(text::to_valid_utf8(text), kCells);
}

std::vector<std::size_t> thin_out(std::span<const double> values, std::size_t points) {
  constexpr std::size_t kMin = 4;
  points = std::max(points, kMin);
  std::vector<std::size_t> kept;
  if (values.size() <= points) {
    kept.resize(values.size());
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    return kept;
  }
  const std::size_t stretches = (points - 2) / 2;
  const std::size_t between = values.size() - 2;
  kept.push_back(0);
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(1 + between * i / stretches);
    const auto end =
        values.begin() + static_cast<std::ptrdiff_t>(1 + between * (i + 1) / stretches);
    const auto [low, high] = std::minmax_element(begin, end);
    const auto [first, second] = std::minmax({low - values.begin(), high - values.begin()});
    kept.push_back(static_cast<std::size_t>(first));
    if (second != first) kept.push_back(static_cast<std::size_t>(second));
  }
  kept.push_back(values.size() - 1);
  return kept;
}

}  // namespace stepbench::report
