// SPDX-License-Identifier: Apache-2.0
#include "harness/track/creep.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <vector>

#include "harness/stats/order.h"
#include "harness/track/screens.h"

namespace stepbench::track {
namespace {

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int number = 0;
  const char* const end = text.data() + at + count;
  const auto read = std::from_chars(text.data() + at, end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 0) return std::nullopt;
  return number;
}

std::optional<std::chrono::sys_days> date_in(std::string_view utc) {
  if (utc.size() < 10 || utc[4] != '-' || utc[7] != '-') return std::nullopt;
  const auto year = digits(utc, 0, 4);
  const auto month = digits(utc, 5, 2);
  const auto day = digits(utc, 8, 2);
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date);
}

// Of single points, by how far neighbours lie apart: a creeping level adds nothing to it.
double spread_of_neighbours(std::span<const double> values) {
  std::vector<double> apart(values.size() - 1);
  for (std::size_t i = 0; i < apart.size(); ++i) apart[i] = std::abs(values[i + 1] - values[i]);
  constexpr double kToDeviation = 1.4826 / 1.41421356;  // of a normal difference of two
  return kToDeviation * stats::median(apart);
}

}  // namespace

std::optional<Creep> creep(std::span<const double> segment, bool higher_is_worse,
                           double least_change, const std::function<bool(std::size_t)>& usable) {
  if (segment.size() < 2 * kCreepLevel) return std::nullopt;
  const double sign = higher_is_worse ? 1 : -1;
  Creep found{.level = stats::median(segment.last(kCreepLevel))};
  bool any = false;
  const std::size_t nights = segment.size() - kCreepLevel;  // those that may be best
  for (std::size_t i = nights - std::min(kCreepNights, nights); i + kCreepLevel <= nights; ++i) {
    const auto window = segment.subspan(i, kCreepLevel);
    const double level = stats::median(window);
    if (any && sign * level >= sign * found.best_level) continue;
    const auto middle = std::find(window.begin(), window.end(), level);
    const std::size_t night = i + static_cast<std::size_t>(middle - window.begin());
    if (usable && !usable(night)) continue;
    found.best = night;
    found.best_level = level;
    any = true;
  }
  if (!any) return std::nullopt;
  found.change = screens::change_from(found.best_level, found.level);
  const double doubt = std::abs(
      screens::change_from(found.best_level, found.best_level + spread_of_neighbours(segment)));
  if (!(sign * found.change > least_change + doubt)) return std::nullopt;
  return found;
}

bool creep_is_due(std::string_view last_utc, std::string_view tonight_utc) {
  const auto last = date_in(last_utc);
  const auto tonight = date_in(tonight_utc);
  return !last || !tonight || *tonight - *last >= std::chrono::days(kCreepDays);
}

}  // namespace stepbench::track
