// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/levels.h"

#include <algorithm>
#include <utility>

#include "harness/nights/pairs.h"
#include "harness/stats/hodges_lehmann.h"

namespace stepbench::nights {
namespace {

using verdict::Estimate;

constexpr std::size_t kKeptBuilds = 60;  // builds kept beyond those that define levels
constexpr std::size_t kSpreadBuilds = 30;
constexpr std::size_t kLayoutBuilds = 10;  // fewer do not suffice to estimate the layout
constexpr int kLayoutNights = 90;
constexpr double kLayoutWorth = 20;  // weight of the assumed layout, in builds
constexpr int kForgotten = -1;

}  // namespace

void Levels::take(const Tonight& tonight, const std::vector<double>& pairs) {
  std::vector<BuildRow>& rows = state_.rows;
  const auto known = std::find_if(rows.begin(), rows.end(), [&](const BuildRow& row) {
    return row.build == tonight.build && row.count > 0;
  });
  BuildRow row{.build = tonight.build, .first_run = tonight.run};
  if (known != rows.end()) {
    if (known + 1 == rows.end() && known->level == Level::kNow) row.first_run = known->first_run;
    row.pairs = known->pairs;
    rows.erase(known);
  }
  row.last_run = tonight.run;
  row.night = state_.nights;
  row.pairs.insert(row.pairs.end(), pairs.begin(), pairs.end());
  if (row.pairs.size() > kMaxPairs) row.pairs.erase(row.pairs.begin(), row.pairs.end() - kMaxPairs);
  row.count = row.pairs.size();
  row.centre = stats::hodges_lehmann(row.pairs, 0).centre;
  rows.push_back(std::move(row));
  learn();
}

void Levels::forget() {
  std::vector<BuildRow>& rows = state_.rows;
  for (const Level one : {Level::kNow, Level::kBefore, Level::kNone}) {
    const std::vector<std::size_t> of = this->rows(one);
    const std::size_t first = one == Level::kNone ? 0 : kBase;
    const std::size_t last = one == Level::kBefore ? kBase : kKeptBuilds;
    for (std::size_t i = first; i + last < of.size(); ++i) rows[of[i]].night = kForgotten;
  }
  std::erase_if(rows, [](const BuildRow& row) { return row.night == kForgotten; });
  std::size_t of_level = 0;
  for (std::size_t i = 0; i + kSpreadBuilds < rows.size(); ++i) {
    const bool begins = rows[i].level == Level::kNow && ++of_level <= kBase;
    if (!begins) rows[i].pairs.clear();
  }
}

RowIndexes Levels::rows(Level level) const {
  RowIndexes of;
  for (std::size_t i = 0; i < state_.rows.size(); ++i) {
    if (state_.rows[i].level == level) of.push_back(i);
  }
  return of;
}

Estimate Levels::estimate(const BuildRow& row, double layout) const {
  const double launches =
      row.count > 0 ? verdict::variance(spread_, static_cast<double>(row.count)) : 0;
  return {row.centre, launches + layout * layout, spread_.freedom};
}

std::vector<Estimate> Levels::estimates(std::span<const std::size_t> rows) const {
  std::vector<Estimate> of;
  for (const std::size_t i : rows) of.push_back(estimate(state_.rows[i], layout_));
  return of;
}

LevelComparison Levels::comparison(std::span<const std::size_t> latest,
                                   std::span<const std::size_t> usual) const {
  return {verdict::mean(estimates(latest)) - verdict::mean(estimates(usual)), latest, usual};
}

double Levels::ranks_low(const LevelComparison& comparison, double sign, double error) const {
  const std::vector<double> latest = pairs_of(comparison.latest, sign);
  const std::vector<double> usual = pairs_of(comparison.usual, sign);
  return usual.empty() ? stats::hodges_lehmann(latest, 1 - 2 * error).interval.low
                       : stats::hodges_lehmann(usual, latest, 1 - 2 * error).interval.low;
}
std::vector<double> Levels::pairs_of(std::span<const std::size_t> rows, double sign) const {
  std::vector<double> pairs;
  for (const std::size_t i : rows) {
    for (const double pair : state_.rows[i].pairs) pairs.push_back(sign * pair);
  }
  return pairs;
}

void Levels::learn() {
  const std::vector<BuildRow>& rows = state_.rows;
  std::vector<verdict::Pairs> blocks;
  std::vector<double> centres;
  for (std::size_t i = rows.size() - std::min(rows.size(), kSpreadBuilds); i < rows.size(); ++i) {
    blocks.emplace_back(rows[i].pairs);
    centres.push_back(rows[i].centre);
  }
  spread_ = verdict::spread(blocks, centres);
  std::vector<Estimate> measured;
  for (const BuildRow& row : rows) {
    if (row.count > 0 && row.night > state_.nights - kLayoutNights)
      measured.push_back(estimate(row, 0));
  }
  const double assumed = rule_.has_layout ? kLayout : 0;
  layout_ = measured.size() >= kLayoutBuilds ? verdict::layout(measured, assumed, kLayoutWorth)
                                             : verdict::layout({}, assumed, kLayoutWorth);
}

}  // namespace stepbench::nights
