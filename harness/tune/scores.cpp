// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "harness/stats/dunnett.h"
#include "harness/stats/hodges_lehmann.h"

namespace stepbench::tune {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct OfPoint {
  std::size_t point = 0;
  std::vector<double> values = {};  // over the middle of their rounds
};

// Of `wanted`, in the rounds of one kind that have all of them; empty without such a round.
std::vector<OfPoint> values_of(std::span<const Round> rounds, std::span<const std::size_t> wanted,
                               bool is_short) {
  std::vector<OfPoint> values;
  constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  std::vector<std::size_t> places;
  for (const std::size_t point : wanted) {
    if (places.size() <= point) places.resize(point + 1, kNone);
    places[point] = values.size();
    values.push_back({.point = point});
  }
  const auto place_of = [&](std::size_t point) {
    return point < places.size() ? places[point] : kNone;
  };
  bool any = false;
  for (const Round& round : rounds) {
    if (round.is_short != is_short) continue;
    std::size_t found = 0;
    double sum = 0;
    for (const RoundValue& each : round.values) {
      if (place_of(each.point) == kNone) continue;
      ++found;
      sum += each.log_value;
    }
    if (found == 0 || found != values.size()) continue;
    any = true;
    const double centre = sum / static_cast<double>(found);
    for (const RoundValue& each : round.values) {
      const std::size_t place = place_of(each.point);
      if (place != kNone) values[place].values.push_back(each.log_value - centre);
    }
  }
  if (!any) values.clear();
  return values;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double middle_of(const std::vector<double>& values) {
  return values.size() < 3 ? mean_of(values) : stats::hodges_lehmann(values, 0.95).centre;
}

}  // namespace

std::vector<Scored> scores_of(const Rounds& rounds, std::span<const std::size_t> points) {
  std::vector<OfPoint> values = values_of(rounds, points, false);
  if (values.empty()) values = values_of(rounds, points, true);
  std::vector<Scored> scored;
  scored.reserve(values.size());
  for (const OfPoint& each : values) {
    scored.push_back({each.point, middle_of(each.values), each.values.size()});
  }
  std::ranges::sort(scored, [](const Scored& a, const Scored& b) {
    return a.score != b.score ? a.score < b.score : a.point < b.point;
  });
  return scored;
}

// Rounds that follow each other with the same points are one table: what is left of each value
// without the effects of its point and of its round.
ScoreSpread spread_of(const Rounds& rounds) {
  double squares = 0;
  double freedom = 0;
  for (std::size_t first = 0; first < rounds.size();) {
    std::size_t last = first + 1;
    while (last < rounds.size() && rounds[last].is_short == rounds[first].is_short &&
           rounds[last].values.size() == rounds[first].values.size()) {
      ++last;
    }
    const std::span<const Round> table = std::span(rounds).subspan(first, last - first);
    first = last;
    if (table.front().is_short || table.size() < 2 || table.front().values.size() < 2) continue;
    std::vector<std::size_t> points;
    for (const RoundValue& each : table.front().values) points.push_back(each.point);
    for (const OfPoint& each : values_of(table, points, false)) {
      const double mean = mean_of(each.values);
      for (const double value : each.values) squares += (value - mean) * (value - mean);
    }
    freedom += static_cast<double>((points.size() - 1) * (table.size() - 1));
  }
  return {freedom > 0 ? std::sqrt(squares / freedom) : 0, freedom};
}

RegretBounds regret_bounds(const Rounds& rounds, std::span<const Scored> standing,
                           double confidence, double short_sd) {
  const ScoreSpread spread = spread_of(rounds);
  if (standing.empty() || spread.freedom == 0) return {kUnknown, kUnknown};
  const std::size_t best = standing.front().point;
  std::set<std::size_t> all;
  for (const Round& round : rounds) {
    for (const RoundValue& each : round.values) all.insert(each.point);
  }
  std::set<std::size_t> finalists;
  for (const Scored& each : standing) finalists.insert(each.point);
  const auto bound = [&](const std::set<std::size_t>& rivals) {
    if (rivals.size() < 2) return 0.0;
    const double critical = stats::dunnett_one_sided(rivals.size() - 1, spread.freedom, confidence);
    // A rival is known by the launches that it and the best have in common.
    double most = 0;
    struct Shared {
      double sum = 0;
      double launches = 0;
    };
    std::map<std::size_t, Shared> full;
    std::map<std::size_t, Shared> brief;
    for (const Round& round : rounds) {
      const auto of_best = std::ranges::find(round.values, best, &RoundValue::point);
      if (of_best == round.values.end()) continue;
      for (const RoundValue& each : round.values) {
        if (each.point == best || !rivals.contains(each.point)) continue;
        Shared& shared = round.is_short ? brief[each.point] : full[each.point];
        shared.sum += of_best->log_value - each.log_value;
        shared.launches += 1;
      }
    }
    for (const std::size_t rival : rivals) {
      if (rival == best) continue;
      const bool has_full = full.contains(rival);
      const Shared& shared = has_full ? full[rival] : brief[rival];
      if (shared.launches == 0) return std::numeric_limits<double>::infinity();
      const double sd = spread.sd * (has_full ? 1 : short_sd) * std::sqrt(2 / shared.launches);
      most = std::max(most, shared.sum / shared.launches + critical * sd);
    }
    return std::expm1(most);
  };
  return {bound(finalists), bound(all)};
}

}  // namespace stepbench::tune
