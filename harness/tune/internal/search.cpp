// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/internal/search.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "harness/stats/comparisons.h"
#include "harness/stats/random.h"
#include "harness/verdict/pairs.h"

namespace stepbench::tune {
namespace {

constexpr std::size_t kKeepOneOf = 4;  // one in this many points continues
constexpr std::size_t kMinKept = 2;
constexpr double kAgree = .05;  // maximum difference of warm-up launches that agree

std::size_t survivors_of(std::size_t points) {
  return std::min(points, std::max((points + kKeepOneOf - 1) / kKeepOneOf, kMinKept));
}

}  // namespace

std::vector<PlannedRung> planned_rungs(std::size_t points) {
  std::vector<PlannedRung> rungs;
  for (std::size_t rung = 0; rung < kRungs && points > (rung == 0 ? 0U : 1U); ++rung) {
    rungs.push_back({points, kRounds[rung]});
    points = survivors_of(points);
  }
  return rungs;
}

PointSearch::PointSearch(std::size_t points, std::size_t own, std::uint64_t seed,
                         std::size_t most_warm, const Before& before)
    : own_(own), seed_(seed), most_warm_(most_warm), out_(points), launches_(points), rungs_(1) {
  rungs_.front().points.resize(points);
  std::iota(rungs_.front().points.begin(), rungs_.front().points.end(), std::size_t{0});
  begin_round();
  if (before) std::ranges::stable_sort(order_, before);
}

void PointSearch::begin_round() {
  order_ = rungs_.back().points;
  // The order of a round does not depend on launches.
  stats::Random random(seed_ + 1000003U * (rungs_.size() * 100 + rungs_.back().rounds));
  random.shuffle(std::span(order_));
  at_ = 0;
  round_.clear();
}

std::optional<Slot> PointSearch::next() {
  const std::size_t rung = rungs_.size() - 1;
  // If the own settings cannot be measured, the first point that can takes their place.
  std::size_t first = own_;
  if (is_out(first))
    first = static_cast<std::size_t>(std::ranges::find(out_, false) - out_.begin());
  if (first == out_.size() || over_) return std::nullopt;
  if (!is_warm_) return Slot{first, 0, launches_[first], position_, true};
  while (at_ < order_.size() && is_out(order_[at_])) ++at_;
  if (at_ < order_.size()) return Slot{order_[at_], rung, launches_[order_[at_]], position_};
  end_round();
  return next();
}

void PointSearch::take(double log_value) {
  const Slot slot = *next();
  ++launches_[slot.point];
  ++position_;
  if (!slot.warm) {
    round_[slot.point] = log_value;
    ++at_;
    return;
  }
  const bool agrees = !warm_.empty() && std::abs(log_value - warm_.back()) < kAgree;
  warm_.push_back(log_value);
  is_warm_ = agrees || warm_.size() >= most_warm_;
}

void PointSearch::exclude_point(std::size_t point) {
  const std::optional<Slot> slot = next();
  if (slot && slot->point == point) {
    ++position_;
    if (slot->warm) warm_.clear();
  }
  out_[point] = true;
  for (Round& round : rounds_) round.erase(point);
  round_.erase(point);
  for (Rung& rung : rungs_) std::erase(rung.points, point);
}

void PointSearch::end_round() {
  Rung& rung = rungs_.back();
  if (rung.points.empty()) return stop();
  rounds_.push_back(round_);
  if (++rung.rounds < kRounds[rungs_.size() - 1]) return begin_round();
  for (const Scored& each : standing()) rung.survivors.push_back(each.point);
  if (rungs_.size() == kRungs || rung.survivors.size() < 2) return stop();
  rung.survivors.resize(survivors_of(rung.survivors.size()));
  Rung next{.points = rung.survivors};
  std::ranges::sort(next.points);
  rungs_.push_back(std::move(next));
  begin_round();
}

std::size_t PointSearch::remaining() const {
  if (over_) return 0;
  std::size_t points = rungs_.back().points.size();
  std::size_t left = points * (kRounds[rungs_.size() - 1] - rungs_.back().rounds - 1);
  for (std::size_t i = at_; i < order_.size(); ++i) left += is_out(order_[i]) ? 0U : 1U;
  for (std::size_t rung = rungs_.size(); rung < kRungs && points > 1; ++rung) {
    points = survivors_of(points);
    left += points * kRounds[rung];
  }
  return left + (is_warm_ ? 0 : kMinWarmLaunches - std::min(kMinWarmLaunches - 1, warm_.size()));
}

std::vector<Scored> PointSearch::standing() const {
  // If all points of the last rung were taken out, use an earlier rung.
  const auto rung = std::ranges::find_if(rungs_.rbegin(), rungs_.rend(),
                                         [](const Rung& each) { return !each.points.empty(); });
  if (rung == rungs_.rend()) return {};
  const std::vector<std::size_t>& points = rung->points;
  std::map<std::size_t, std::vector<double>> off;  // deviations from the centre of each round
  for (const Round& round : rounds_) {
    const auto has = [&](std::size_t point) { return round.contains(point); };
    if (!std::ranges::all_of(points, has)) continue;
    double sum = 0;
    for (const std::size_t point : points) sum += round.at(point);
    for (const std::size_t point : points)
      off[point].push_back(round.at(point) - sum / static_cast<double>(points.size()));
  }
  std::vector<Scored> scored;
  for (const auto& [point, values] : off)
    scored.push_back({point, stats::hodges_lehmann(values, 0).centre});
  std::ranges::stable_sort(scored, {}, &Scored::score);
  return scored;
}

std::optional<Bound> PointSearch::bound() const {
  const std::vector<Scored> best = standing();
  if (best.empty()) return std::nullopt;
  const std::size_t winner = best.front().point;
  std::map<std::size_t, std::vector<double>> behind;  // pairs of the winner with each rival
  for (const Round& round : rounds_) {
    if (!round.contains(winner)) continue;
    for (const auto& [point, value] : round) {
      if (point != winner) behind[point].push_back(round.at(winner) - value);
    }
  }
  std::vector<verdict::Pairs> blocks;
  for (const auto& [point, pairs] : behind) blocks.emplace_back(pairs);
  const verdict::PairSpread spread = verdict::spread(blocks);
  if (spread.freedom == 0) return std::nullopt;
  const double error = (1 - kBoundConfidence) / static_cast<double>(blocks.size());
  double most = 0;
  for (const verdict::Pairs pairs : blocks)
    most = std::max(most, verdict::interval(verdict::estimate(pairs, spread), error).high);
  return Bound{std::expm1(most), blocks.size() + 1};
}

}  // namespace stepbench::tune
