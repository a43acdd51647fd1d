// SPDX-License-Identifier: Apache-2.0
#include "harness/compare/cause.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>

#include "harness/estimate/step_times.h"
#include "harness/findings/of_ranks.h"
#include "harness/stats/hodges_lehmann.h"
#include "harness/stats/order.h"

namespace stepbench::compare {
namespace {

constexpr double kMinCauseShare = 0.1;

struct Launches {
  std::vector<double> step;
  std::map<std::string, std::vector<double>, std::less<>> phases;  // 0 if a launch lacks it
};

// Latencies exclude the wait for data. Device clocks use the device phases, which sum to the step.
Launches read(const estimate::Estimates& estimates, estimate::StepClock clock) {
  Launches result;
  for (const auto& estimate : estimates) {
    if (!estimate) continue;
    const bool device = clock == estimate::StepClock::kDevice;
    for (const estimate::PhaseTime& phase : device ? estimate->device_phases : estimate->phases) {
      if (estimate->latency && phase.name == "data_wait") continue;
      auto& values = result.phases[phase.name];
      values.resize(result.step.size(), 0.0);
      values.push_back(static_cast<double>(phase.ns) / static_cast<double>(estimate->steps));
    }
    result.step.push_back(estimate::headline_ns(*estimate, clock));
  }
  for (auto& [name, values] : result.phases) values.resize(result.step.size(), 0.0);
  return result;
}

stats::HodgesLehmann difference(const std::vector<double>& a, const std::vector<double>& b,
                                double confidence, Design design) {
  if (design == Design::kSequential) return stats::hodges_lehmann(a, b, confidence);
  std::vector<double> differences(std::min(a.size(), b.size()));
  for (std::size_t i = 0; i < differences.size(); ++i) differences[i] = b[i] - a[i];
  return stats::hodges_lehmann(differences, confidence);
}

void sort_by_size(std::vector<PhaseChange>& changes) {
  std::stable_sort(changes.begin(), changes.end(), [](const PhaseChange& a, const PhaseChange& b) {
    return std::abs(a.change_ns) > std::abs(b.change_ns);
  });
}

struct ReadSides {
  Launches base;
  Launches candidate;
};

// nullopt if a side has no launch, or some launches lack the common clock.
std::optional<ReadSides> read_sides(const CasePair& pair) {
  const estimate::Estimates before = estimate::estimates_of(pair.base.measured);
  const estimate::Estimates after = estimate::estimates_of(pair.candidate.measured);
  const estimate::StepTimes times = estimate::step_times(before, after);
  if (times.mixed) return {};
  ReadSides sides{read(before, times.clock), read(after, times.clock)};
  if (sides.base.step.empty() || sides.candidate.step.empty()) return {};
  return sides;
}

// `whole_ns`: change of the step to be explained; nullopt: that of these launches.
std::vector<PhaseChange> changes_of(const CasePair& pair, double confidence, Design design,
                                    std::optional<double> whole_ns) {
  std::optional<ReadSides> sides = read_sides(pair);
  if (!sides) return {};
  auto& [base, candidate] = *sides;
  for (const auto& [name, values] : base.phases) {
    candidate.phases.try_emplace(name, candidate.step.size(), 0.0);
  }
  const double step_ns =
      whole_ns.value_or(difference(base.step, candidate.step, confidence, design).centre);
  std::vector<PhaseChange> changes;
  for (const auto& [name, to] : candidate.phases) {
    const auto& from = base.phases.try_emplace(name, base.step.size(), 0.0).first->second;
    const stats::HodgesLehmann estimate = difference(from, to, confidence, design);
    changes.push_back({.phase = name,
                       .base_ns = stats::median(from),
                       .candidate_ns = stats::median(to),
                       .change_ns = estimate.centre,
                       .interval_ns = estimate.interval,
                       .share = step_ns == 0 ? 0 : estimate.centre / step_ns});
  }
  sort_by_size(changes);
  return changes;
}

// Keeps changes of at least a tenth of the whole whose intervals exclude zero.
std::vector<PhaseChange> explaining(std::vector<PhaseChange> changes) {
  std::erase_if(changes, [](const PhaseChange& change) {
    const bool may_be_nothing = change.interval_ns.low <= 0 && change.interval_ns.high >= 0;
    return std::abs(change.share) < kMinCauseShare || may_be_nothing;
  });
  return changes;
}

std::size_t ranks_of(const CasePair& pair) {
  std::size_t ranks = 0;
  for (const CaseLaunches* side : {&pair.base, &pair.candidate}) {
    for (const auto& others : side->other_ranks) ranks = std::max(ranks, others.size() + 1);
  }
  return ranks;
}

// Replaces the launches by rank 0's own measurement: the row of a process group includes the wait
// for the slowest rank.
std::deque<record::Launch> as_one_rank(CaseLaunches& launches) {
  std::deque<record::Launch> own;
  for (const record::Launch*& launch : launches.measured) {
    record::Launch& copy = own.emplace_back(*launch);
    copy.row.report.schedule.erase("group_window_ns");
    launch = &copy;
  }
  return own;
}

// Merges changes of one phase on several ranks with overlapping intervals.
class AlikeRanks {
 public:
  explicit AlikeRanks(const PhaseChange& first)
      : sum_(first), common_(first.interval_ns), hull_(first.interval_ns) {}

  bool add(const PhaseChange& change) {
    const stats::Interval& other = change.interval_ns;
    const stats::Interval common{std::max(common_.low, other.low),
                                 std::min(common_.high, other.high)};
    if (change.phase != sum_.phase || common.low > common.high) return false;
    common_ = common;
    hull_ = {std::min(hull_.low, other.low), std::max(hull_.high, other.high)};
    sum_.ranks.push_back(change.ranks.front());
    sum_.base_ns += change.base_ns;
    sum_.candidate_ns += change.candidate_ns;
    sum_.change_ns += change.change_ns;
    sum_.share += change.share;
    return true;
  }

  [[nodiscard]] PhaseChange mean(std::size_t all_ranks) const {
    PhaseChange mean = sum_;
    const auto n = static_cast<double>(mean.ranks.size());
    for (double* value : {&mean.base_ns, &mean.candidate_ns, &mean.change_ns, &mean.share}) {
      *value /= n;
    }
    mean.interval_ns = hull_;
    mean.all_ranks = mean.ranks.size() == all_ranks;
    std::ranges::sort(mean.ranks);
    return mean;
  }

 private:
  PhaseChange sum_;
  stats::Interval common_;
  stats::Interval hull_;
};

}  // namespace

std::string phase_text(const PhaseChange& change) {
  if (change.ranks.empty()) return change.phase;
  if (change.all_ranks) return change.phase + " on all ranks";
  return change.phase + " on " + findings::rank_names(change.ranks);
}

bool ranks_differ(const std::vector<PhaseChange>& changes) {
  return std::ranges::any_of(changes, [](const PhaseChange& change) {
    return !change.ranks.empty() && !change.all_ranks;
  });
}

std::vector<PhaseChange> phase_changes(const CasePair& pair, double confidence, Design design) {
  return changes_of(pair, confidence, design, {});
}

std::vector<PhaseChange> explaining_phases(const CasePair& pair, double confidence, Design design) {
  const std::size_t ranks = ranks_of(pair);
  if (ranks == 0) return explaining(phase_changes(pair, confidence, design));
  const std::optional<ReadSides> whole = read_sides(pair);
  if (!whole) return {};
  const double whole_ns =
      difference(whole->base.step, whole->candidate.step, confidence, design).centre;
  std::vector<PhaseChange> all;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    CasePair of_rank = pair;
    if (!take_rank(rank, of_rank.base) || !take_rank(rank, of_rank.candidate)) continue;
    std::deque<record::Launch> base;
    std::deque<record::Launch> candidate;
    if (rank == 0) {
      base = as_one_rank(of_rank.base);
      candidate = as_one_rank(of_rank.candidate);
    }
    for (PhaseChange& change : explaining(changes_of(of_rank, confidence, design, whole_ns))) {
      change.ranks = {static_cast<std::int64_t>(rank)};
      all.push_back(std::move(change));
    }
  }
  sort_by_size(all);
  std::vector<AlikeRanks> alike;
  for (const PhaseChange& change : all) {
    const auto taken =
        std::ranges::find_if(alike, [&](AlikeRanks& each) { return each.add(change); });
    if (taken == alike.end()) alike.emplace_back(change);
  }
  std::vector<PhaseChange> changes;
  for (const AlikeRanks& each : alike) changes.push_back(each.mean(ranks));
  sort_by_size(changes);
  return changes;
}

}  // namespace stepbench::compare
