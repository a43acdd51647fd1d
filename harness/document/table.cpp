// SPDX-License-Identifier: Apache-2.0
#include "harness/document/table.h"

#include <algorithm>
#include <cmath>

namespace stepbench::document {
namespace {

template <typename Words>
Cell cell_of(std::optional<double> value, const Words& words) {
  if (!value || !std::isfinite(*value)) return "-";
  return {words(*value), value};
}

}  // namespace

Cell number(std::optional<double> value) {
  return cell_of(value, [](double each) { return text::significant(each); });
}

Cell short_number(std::optional<double> value, int decimals) {
  return cell_of(value, [&](double each) { return text::short_number(each, decimals); });
}

Cell count(std::int64_t value) {
  return {text::with_separators(value), static_cast<double>(value)};
}

Cell time(std::optional<double> ns, const text::TimeUnit& unit) {
  constexpr double kMin = 0.001;
  return cell_of(ns, [&](double time_ns) -> std::string {
    const double value = time_ns / unit.ns;
    return value > 0 && value < kMin ? "<0.001" : text::significant(value);
  });
}

Cell part_of_time(double ns, const text::TimeUnit& unit, double whole_ns) {
  const auto place = [](double value) { return static_cast<int>(std::floor(std::log10(value))); };
  const double value = ns / unit.ns;
  if (!(whole_ns > 0) || !(value > 0)) return time(ns, unit);
  const int decimals = std::clamp(3 - place(whole_ns / unit.ns), 0, 3);
  const double least = std::pow(10, -decimals);
  if (value < least) return {'<' + text::short_number(least, decimals), value};
  return {text::significant(value, std::clamp(place(value) + decimals + 1, 1, 3)), value};
}

Cell duration(std::optional<double> ns) { return cell_of(ns, text::duration); }

Cell signed_duration(std::optional<double> ns) { return cell_of(ns, text::signed_duration); }

Cell bytes(std::optional<double> value) { return cell_of(value, text::byte_text); }

Cell percent(std::optional<double> share) { return cell_of(share, text::percent); }

Cell share(double part, double whole) { return whole > 0 ? percent(part / whole) : Cell("-"); }

Cell percent_text(std::optional<double> share) { return cell_of(share, text::percent_text); }

Cell change(std::optional<double> relative) {
  return cell_of(relative, [](double by) { return text::signed_percent(by) + " %"; });
}

}  // namespace stepbench::document
