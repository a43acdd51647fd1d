// SPDX-License-Identifier: Apache-2.0
#include "harness/tune/halving.h"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <span>

namespace stepbench::tune {
namespace {

constexpr double kLeaveConfidence = 0.95;  // that no point leaves early which is the best
constexpr std::size_t kFewestToLeave = 3;  // full rounds

// Few points cost little: all go the whole way.
bool all_in_full(std::size_t points) { return points < kFewestPoints; }

std::size_t kept_of(std::size_t points) {
  return std::min(points, std::max((points + kKept - 1) / kKept, kFewestKept));
}

}  // namespace

std::vector<PlannedRung> planned_rungs(std::size_t points, std::size_t can_run) {
  if (can_run == 0) return {};
  if (all_in_full(points)) return {{.points = can_run, .rounds = kRounds[1] + kRounds[2]}};
  std::vector<PlannedRung> rungs;
  for (std::size_t rung = 0; rung < kRungs; ++rung) {
    rungs.push_back({.points = can_run, .rounds = kRounds[rung], .brief = rung == 0});
    can_run = kept_of(can_run);
    if (can_run < 2) break;
  }
  return rungs;
}

Halving::Halving(std::size_t points, std::uint64_t seed, double log_margin, const Before& before)
    : seed_(seed), log_margin_(log_margin), states_(points, State::kIn) {
  Rung first;
  first.points.resize(points);
  std::iota(first.points.begin(), first.points.end(), std::size_t{0});
  if (all_in_full(points)) rungs_.resize(kRungs - 1);
  rungs_.push_back(std::move(first));
  begin_round();
  if (before) std::ranges::stable_sort(order_, before);
}

std::size_t Halving::rounds_of(std::size_t rung) const {
  return all_in_full(states_.size()) ? kRounds[1] + kRounds[2] : kRounds[rung];
}

std::vector<std::size_t> Halving::points_left() const {
  std::vector<std::size_t> points = rungs_.back().points;
  std::erase_if(points, [this](std::size_t point) { return !is_in(point); });
  return points;
}

void Halving::begin_round() {
  std::erase_if(rungs_.back().points, [this](std::size_t point) { return is_out(point); });
  order_ = points_left();
  const bool decided = order_.size() < 2 && rungs_.size() > 1;
  if (order_.empty() || decided) over_ = true;
  // Which order a round has depends on no launch.
  stats::Random random(seed_ + 1000003U * (rungs_.size() * 100 + round_));
  random.shuffle(std::span(order_));
  at_ = 0;
  values_.clear();
}

std::optional<Slot> Halving::next() {
  while (!over_) {
    while (at_ < order_.size() && !is_in(order_[at_])) ++at_;
    if (at_ < order_.size()) {
      const std::size_t rung = rungs_.size() - 1;
      std::size_t launch = round_;
      for (std::size_t i = 0; i < rung; ++i) launch += rungs_[i].rounds;
      return Slot{order_[at_], rung, launch, position_};
    }
    end_round();
  }
  return std::nullopt;
}

void Halving::take(double log_value) {
  values_.push_back({order_[at_], log_value});
  ++at_;
  ++position_;
}

void Halving::take_out(std::size_t point) {
  if (at_ < order_.size() && order_[at_] == point) ++position_;
  states_[point] = State::kOut;
}

void Halving::stop() { over_ = true; }

void Halving::end_round() {
  std::erase_if(values_, [this](const RoundValue& each) { return !is_in(each.point); });
  Rung& rung = rungs_.back();
  std::erase_if(rung.points, [this](std::size_t point) { return is_out(point); });
  const bool is_short = rungs_.size() == 1;
  rounds_.push_back({is_short, std::move(values_)});
  ++rung.rounds;
  ++round_;
  leave_early();
  if (round_ < rounds_of(rungs_.size() - 1)) return begin_round();
  end_rung();
}

// It is worse than the best by more than does not matter, whatever the launches' spread does.
void Halving::leave_early() {
  if (rungs_.size() < kRungs) return;
  const std::vector<Scored> scored = scores_of(rounds_, points_left());
  if (scored.empty() || scored.front().launches < kFewestToLeave) return;
  const ScoreSpread spread = spread_of(rounds_);
  if (spread.freedom == 0) return;
  // For all points and looks together.
  constexpr double kLooks = 4;
  const double error = (1 - kLeaveConfidence) / (kLooks * static_cast<double>(states_.size()));
  const double critical = boost::math::quantile(
      boost::math::complement(boost::math::students_t(spread.freedom), error));
  for (const Scored& each : scored) {
    const double sd = spread.sd * std::sqrt(2 / static_cast<double>(each.launches));
    const double behind = each.score - scored.front().score;
    if (behind - log_margin_ > critical * sd) states_[each.point] = State::kLost;
  }
}

void Halving::end_rung() {
  Rung& rung = rungs_.back();
  for (const Scored& each : scores_of(rounds_, points_left())) rung.kept.push_back(each.point);
  if (rungs_.size() == kRungs || rung.kept.empty()) {
    over_ = true;
    return;
  }
  const std::size_t kept = kept_of(rung.kept.size());
  for (std::size_t i = kept; i < rung.kept.size(); ++i) states_[rung.kept[i]] = State::kLost;
  rung.kept.resize(kept);
  Rung next{.points = rung.kept};
  std::sort(next.points.begin(), next.points.end());
  rungs_.push_back(std::move(next));
  round_ = 0;
  begin_round();
}

std::size_t Halving::remaining() const {
  if (over_) return 0;
  std::size_t points = 0;
  for (const std::size_t point : rungs_.back().points) points += is_in(point) ? 1U : 0U;
  std::size_t left = 0;
  for (std::size_t i = at_; i < order_.size(); ++i) left += is_in(order_[i]) ? 1U : 0U;
  std::size_t rung = rungs_.size() - 1;
  left += points * (rounds_of(rung) - round_ - 1);
  for (++rung; rung < kRungs; ++rung) {
    points = kept_of(points);
    left += points * kRounds[rung];
  }
  return left;
}

std::vector<Scored> Halving::standing() const {
  for (std::size_t i = rungs_.size(); i-- > 0;) {
    if (rungs_[i].rounds == 0) continue;
    const bool is_last = i + 1 == rungs_.size();
    std::vector<std::size_t> points;
    for (const std::size_t point : rungs_[i].points) {
      if (is_last ? is_in(point) : !is_out(point)) points.push_back(point);
    }
    return scores_of(rounds_, points);
  }
  return {};
}

}  // namespace stepbench::tune
