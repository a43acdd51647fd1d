// SPDX-License-Identifier: Apache-2.0
#include "harness/track/change_points.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "harness/stats/order.h"
#include "harness/stats/random.h"
#include "harness/track/split_table.h"

namespace stepbench::track {
namespace {

struct Level {
  double n = 0;
  double mean = 0;
  double squares = 0;  // variance over n, not n - 1: as Otava takes it
};

Level level_of(std::span<const double> values) {
  Level level{.n = static_cast<double>(values.size())};
  for (const double value : values) level.mean += value;
  level.mean /= level.n;
  for (const double value : values) level.squares += (value - level.mean) * (value - level.mean);
  level.squares /= level.n;
  return level;
}

// Two-sided. Equal levels without any spread have p 1 and are no change.
ChangePoint change_between(std::span<const double> left, std::span<const double> right) {
  const Level a = level_of(left);
  const Level b = level_of(right);
  ChangePoint point{.before = a.mean, .after = b.mean};
  const double freedom = a.n + b.n - 2;
  if (freedom <= 0) return point;
  const double pooled = ((a.n - 1) * a.squares + (b.n - 1) * b.squares) / freedom;
  if (!(pooled > 0)) {
    if (a.mean == b.mean) return point;
    point.t = std::copysign(std::numeric_limits<double>::infinity(), b.mean - a.mean);
    point.p = 0;
    return point;
  }
  point.t = (b.mean - a.mean) / std::sqrt(pooled * (1 / a.n + 1 / b.n));
  point.p = 2 * boost::math::cdf(
                    boost::math::complement(boost::math::students_t(freedom), std::abs(point.t)));
  return point;
}

// Of a change point at `index` whose neighbours are these.
ChangePoint change_at(std::span<const double> values, std::size_t from, std::size_t index,
                      std::size_t to) {
  ChangePoint point =
      change_between(values.subspan(from, index - from), values.subspan(index, to - index));
  point.index = index;
  return point;
}

void renew(std::span<const double> values, std::vector<ChangePoint>& points, std::size_t i) {
  if (i >= points.size()) return;
  points[i] = change_at(values, i == 0 ? 0 : points[i - 1].index, points[i].index,
                        i + 1 < points.size() ? points[i + 1].index : values.size());
}

// The splits of one window, in order.
std::vector<std::size_t> bisected(std::span<const double> values, double max_p) {
  SplitTable table;
  table.fill(values);
  std::vector<std::size_t> bounds = {0, values.size()};
  std::vector<Split> splits = {table.best(0, values.size())};  // of the intervals between bounds
  while (true) {
    std::size_t chosen = 0;
    for (std::size_t i = 1; i < splits.size(); ++i) {
      if (splits[i].q > splits[chosen].q * (1 + kSplitTolerance)) chosen = i;
    }
    if (!(splits[chosen].q > 0)) break;
    const std::size_t index = splits[chosen].index;
    const ChangePoint point = change_at(values, bounds[chosen], index, bounds[chosen + 1]);
    if (!(point.p <= max_p)) break;
    bounds.insert(bounds.begin() + static_cast<std::ptrdiff_t>(chosen) + 1, index);
    splits[chosen] = table.best(bounds[chosen], index);
    splits.insert(splits.begin() + static_cast<std::ptrdiff_t>(chosen) + 1,
                  table.best(index, bounds[chosen + 2]));
  }
  return {bounds.begin() + 1, bounds.end() - 1};
}

// The first autocorrelation, from the differences of neighbours, which steps of the level hardly
// change: theirs is -(1 - r) / 2. Differences beyond three robust deviations count as so many.
double likeness_of_neighbours(std::span<const double> values) {
  constexpr double kMost = 0.85;
  constexpr double kDeviations = 3;
  std::vector<double> differences;
  for (std::size_t i = 1; i < values.size(); ++i) {
    differences.push_back(values[i] - values[i - 1]);
  }
  if (differences.empty()) return 0;
  const double bound = kDeviations * stats::robust_sd(differences);
  double squares = 0;
  double products = 0;
  for (std::size_t i = 0; i < differences.size(); ++i) {
    differences[i] = std::clamp(differences[i], -bound, bound);
    squares += differences[i] * differences[i];
    if (i > 0) products += differences[i] * differences[i - 1];
  }
  return squares > 0 ? std::clamp(1 + 2 * products / squares, 0.0, kMost) : 0;
}

// How clear a split is, whatever the spread of the values: what stands in the table last.
double share_of(const Split& split, const SplitTable& table, std::size_t size) {
  return split.q / table.total(size);
}

// Series as a stretch without a change might have been whose neighbours are alike: what is new in
// each value, drawn anew, with the same likeness.
class AlikeNights {
 public:
  AlikeNights(std::span<const double> values, const Split& split, double likeness)
      : likeness_(likeness) {
    const double before = level_of(values.first(split.index)).mean;
    const double after = level_of(values.subspan(split.index)).mean;
    const auto rest = [&](std::size_t i) { return values[i] - (i < split.index ? before : after); };
    for (std::size_t i = 1; i < values.size(); ++i) {
      fresh_.push_back(rest(i) - likeness_ * rest(i - 1));
    }
  }

  void draw(std::vector<double>& values, stats::Random& random) const {
    constexpr std::size_t kToForget = 20;  // values: where it began
    double state = 0;
    for (std::size_t i = 0; i < kToForget + values.size(); ++i) {
      state = likeness_ * state + fresh_[random.below(static_cast<std::uint32_t>(fresh_.size()))];
      if (i >= kToForget) values[i - kToForget] = state;
    }
  }

 private:
  double likeness_;
  std::vector<double> fresh_ = {};
};

// More is let in than will be kept: what is found in a window is tested again on the whole series.
double p_of_a_window(double p) { return p < 0.05 ? 10 * p : p < 0.5 ? 2 * p : p; }

void drop_weak(std::span<const double> values, const OtavaOptions& options,
               std::vector<ChangePoint>& points) {
  while (!points.empty()) {
    auto weakest = std::max_element(points.begin(), points.end(),
                                    [](const auto& a, const auto& b) { return a.p < b.p; });
    if (weakest->p < options.max_p) {
      weakest = std::min_element(points.begin(), points.end(), [](const auto& a, const auto& b) {
        return a.magnitude() < b.magnitude();
      });
      if (weakest->magnitude() > options.min_magnitude) return;
    }
    const auto i = static_cast<std::size_t>(weakest - points.begin());
    points.erase(weakest);
    // As Otava does it: the neighbour on the left keeps what it had.
    renew(values, points, i);
    renew(values, points, i + 1);
  }
}

}  // namespace

double ChangePoint::change() const {
  if (before != 0) return after / before - 1;
  return after == 0 ? 0 : std::copysign(std::numeric_limits<double>::infinity(), after);
}

double ChangePoint::magnitude() const {
  const auto relative = [](double from, double to) {
    return from == 0 ? 0 : std::abs(to / from - 1);
  };
  return std::max(relative(before, after), relative(after, before));
}

std::vector<ChangePoint> otava_change_points(std::span<const double> values,
                                             const OtavaOptions& options) {
  std::vector<std::size_t> found;
  const std::size_t step = std::max<std::size_t>(1, options.window / 2);
  for (std::size_t start = 0; start < values.size();) {
    const std::size_t end = std::min(start + options.window, values.size());
    std::size_t last = 0;
    for (const std::size_t index :
         bisected(values.subspan(start, end - start), p_of_a_window(options.max_p))) {
      last = start + index;
      found.push_back(last);
    }
    start = std::max(last, start + step);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<ChangePoint> points(found.size());
  for (std::size_t i = 0; i < found.size(); ++i) points[i].index = found[i];
  for (std::size_t i = 0; i < found.size(); ++i) renew(values, points, i);
  drop_weak(values, options, points);
  return points;
}

std::vector<ChangePoint> divisive_change_points(std::span<const double> values,
                                                const DivisiveOptions& options) {
  const double likeness = likeness_of_neighbours(values);
  // So many permutations as good as the series itself, and it is not significant.
  const auto too_many = static_cast<std::size_t>(
      std::floor(options.max_p * static_cast<double>(options.permutations + 1)));
  stats::Random random(options.seed);
  SplitTable table;
  std::vector<double> part;
  const auto splits_at = [&](std::size_t start, std::size_t end) -> std::size_t {
    part.assign(values.begin() + static_cast<std::ptrdiff_t>(start),
                values.begin() + static_cast<std::ptrdiff_t>(end));
    table.fill(part);
    const Split split = table.best(0, part.size(), options.min_length);
    if (!(split.q > 0)) return 0;
    const double clear = share_of(split, table, part.size()) * (1 - kSplitTolerance);
    const auto stands_out = [&](const auto& draw) {
      std::size_t as_good = 0;
      for (std::size_t i = 0; i < options.permutations && as_good < too_many; ++i) {
        draw();
        table.fill(part);
        const Split other = table.best(0, part.size(), options.min_length);
        if (share_of(other, table, part.size()) >= clear) ++as_good;
      }
      return as_good < too_many;
    };
    const AlikeNights alike(part, split, likeness);
    if (!stands_out([&] { random.shuffle(std::span(part)); })) return 0;
    if (likeness > 0 && !stands_out([&] { alike.draw(part, random); })) return 0;
    return start + split.index;
  };
  std::vector<ChangePoint> points;
  std::vector<std::pair<std::size_t, std::size_t>> waiting = {{0, values.size()}};
  while (!waiting.empty()) {
    const auto [start, end] = waiting.back();
    waiting.pop_back();
    const std::size_t index = splits_at(start, end);
    if (index == 0) continue;
    points.push_back({.index = index});
    waiting.emplace_back(index, end);
    waiting.emplace_back(start, index);
  }
  std::sort(points.begin(), points.end(),
            [](const ChangePoint& a, const ChangePoint& b) { return a.index < b.index; });
  for (std::size_t i = 0; i < points.size(); ++i) renew(values, points, i);
  constexpr double kAnyP = 2;
  drop_weak(values, {.max_p = kAnyP, .min_magnitude = options.min_magnitude}, points);
  // Otava lets the left neighbour of a dropped one keep what it had; here levels meet.
  for (std::size_t i = 0; i < points.size(); ++i) renew(values, points, i);
  return points;
}

}  // namespace stepbench::track
