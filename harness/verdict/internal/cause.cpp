// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/internal/cause.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "harness/base/format.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/findings/finding.h"
#include "harness/ops/op_table.h"
#include "harness/stats/comparisons.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/numbers.h"

namespace stepbench::verdict {
namespace {

constexpr double kMinCauseShare = 0.1;

struct Launches {
  std::vector<double> step;
  std::vector<double> faults;  // per step; NaN if a launch does not report them
  std::map<std::string, std::vector<double>, std::less<>> phases;  // 0 if a launch lacks it
};

// Latencies exclude the wait for data. Device clocks use the device phases, which sum to the step.
Launches read(const std::vector<const record::Launch*>& launches,
              const estimate::Estimates& estimates, estimate::StepClock clock) {
  Launches result;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const auto& estimate = estimates[i];
    if (!estimate) continue;
    const bool device = clock == estimate::StepClock::kDevice;
    for (const estimate::PhaseTime& phase : device ? estimate->device_phases : estimate->phases) {
      if (estimate->latency && phase.name == "data_wait") continue;
      auto& values = result.phases[phase.name];
      values.resize(result.step.size(), 0.0);
      values.push_back(static_cast<double>(phase.ns) / static_cast<double>(estimate->steps));
    }
    result.step.push_back(estimate::headline_ns(*estimate, clock));
    result.faults.push_back(
        estimate::reported_per_step({*launches[i], *estimate, clock}, "minor_faults"));
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
  ReadSides sides{read(pair.base.measured, before, times.clock),
                  read(pair.candidate.measured, after, times.clock)};
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

bool may_be_zero(const stats::Interval& interval) { return stats::overlap(interval, {}); }

// Keeps changes of at least a tenth of the whole whose intervals exclude zero.
std::vector<PhaseChange> explaining(std::vector<PhaseChange> changes) {
  std::erase_if(changes, [](const PhaseChange& change) {
    return std::abs(change.share) < kMinCauseShare || may_be_zero(change.interval_ns);
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
  return change.phase + " on " + rank_names(change.ranks);
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

std::string fault_text(const FaultChange& change) {
  const auto rounded = [](double per_step) {
    return text::with_separators(static_cast<std::int64_t>(std::llround(per_step)));
  };
  return formatted("page faults {} -> {} per step", rounded(change.base),
                   rounded(change.candidate));
}

std::optional<FaultChange> explaining_faults(const CasePair& pair, double confidence,
                                             Design design) {
  const std::optional<ReadSides> sides = read_sides(pair);
  if (!sides) return {};
  const auto& [base, candidate] = *sides;
  const auto is_unknown = [](double value) { return std::isnan(value); };
  if (std::ranges::any_of(base.faults, is_unknown) ||
      std::ranges::any_of(candidate.faults, is_unknown)) {
    return {};
  }
  const double step_ns = difference(base.step, candidate.step, confidence, design).centre;
  const stats::HodgesLehmann faults = difference(base.faults, candidate.faults, confidence, design);
  const double least_ns = faults.centre * kFaultNs;  // of the change
  if (may_be_zero(faults.interval) || !(least_ns / step_ns >= kMinCauseShare)) return {};
  return FaultChange{.base = stats::median(base.faults),
                     .candidate = stats::median(candidate.faults)};
}

namespace {

constexpr double kMinOpShare = 0.02;  // of all ops' time; smaller changes of a share are noise

using Key = std::tuple<std::string, std::string, std::string>;  // name, shapes, phase

struct Sums {
  double calls = 0;  // per step
  double self_ns = 0;
};

struct Profile {
  std::map<Key, Sums> ops;
  double self_ns = 0;

  [[nodiscard]] Sums of(const Key& key) const {
    const auto found = ops.find(key);
    return found == ops.end() ? Sums{} : found->second;
  }
  [[nodiscard]] double share(const Key& key) const {
    return self_ns > 0 ? of(key).self_ns / self_ns : 0;
  }
};

// Uses device time if the launch has any: the host only queues the work.
Profile read(const record::Launch& launch) {
  const ops::OpTable table = ops::op_table_of(launch.ops);
  std::set<std::int64_t> steps;
  bool on_device = false;
  for (const ops::OpRow& row : table.rows) {
    if (row.step >= 0) steps.insert(row.step);
    on_device = on_device || row.self_device_ns > 0;
  }
  Profile profile;
  if (steps.empty()) return profile;
  const auto per_step = 1.0 / static_cast<double>(steps.size());
  for (const ops::OpRow& row : table.rows) {
    if (row.step < 0 || row.kind != ops::OpKind::kOp) continue;
    Sums& sums =
        profile.ops[{std::string(table.text(row.name)), std::string(table.text(row.shapes)),
                     std::string(table.text(row.phase))}];
    const auto self = static_cast<double>(on_device ? row.self_device_ns : row.self_cpu_ns);
    sums.calls += per_step * static_cast<double>(row.calls);
    sums.self_ns += per_step * self;
    profile.self_ns += per_step * self;
  }
  return profile;
}

std::vector<Profile> read_all(const std::vector<const record::Launch*>& launches) {
  std::vector<Profile> profiles;
  for (const record::Launch* launch : launches) {
    Profile profile = read(*launch);
    if (!profile.ops.empty()) profiles.push_back(std::move(profile));
  }
  return profiles;
}

void add_times(const std::vector<Profile>& base, const std::vector<Profile>& candidate,
               const Key& key, OpChange& change) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(base.size(), candidate.size()); ++i) {
    differences.push_back(candidate[i].of(key).self_ns - base[i].of(key).self_ns);
  }
  if (differences.size() < kPairsForOpTimes) return;
  const auto [low, high] = std::minmax_element(differences.begin(), differences.end());
  change.change_ns = stats::median(differences);
  change.range_ns = {*low, *high};
}

// Calls per step are whole numbers of calls over whole steps; the tolerance is for rounding.
bool calls_differ(const OpChange& change) {
  return std::abs(change.candidate_calls - change.base_calls) > 1e-6;
}

bool explains(const OpChange& change, double whole_ns) {
  if (calls_differ(change)) return true;
  if (!change.change_ns) {
    return std::abs(change.candidate_share - change.base_share) >= kMinOpShare;
  }
  const bool sure = change.range_ns.low > 0 || change.range_ns.high < 0;
  return sure && std::abs(*change.change_ns) >= kMinOpShare * whole_ns;
}

double weight(const OpChange& change) {
  return std::max(change.base_share, change.candidate_share) * (calls_differ(change) ? 1 : 0.5) +
         std::abs(change.candidate_share - change.base_share);
}

}  // namespace

ProfiledLaunches::ProfiledLaunches(const record::Results& results) {
  for (const record::Launch& launch : results.launches) {
    const record::LaunchKey& key = launch.row.key;
    if (key.rank != 0 || launch.row.outcome.kind != Outcome::Kind::kMeasured) continue;
    if (is_profiling(key.pass)) by_case_[{key.case_id, key.arm}].push_back(&launch);
    if (key.pass == Pass::kWrapped) counted_[{key.case_id, key.arm}].push_back(&launch);
  }
  for (ByCase* all : {&by_case_, &counted_}) {
    for (auto& [key, launches] : *all) {
      std::stable_sort(launches.begin(), launches.end(),
                       [](const record::Launch* a, const record::Launch* b) {
                         return a->row.key.launch < b->row.key.launch;
                       });
    }
  }
}

std::vector<const record::Launch*> ProfiledLaunches::of(std::string_view case_id,
                                                        std::string_view arm) const {
  const auto found = by_case_.find({case_id, arm});
  return found == by_case_.end() ? std::vector<const record::Launch*>{} : found->second;
}

std::vector<const record::Launch*> ProfiledLaunches::counted(std::string_view case_id,
                                                             std::string_view arm) const {
  const auto found = counted_.find({case_id, arm});
  return found == counted_.end() ? std::vector<const record::Launch*>{} : found->second;
}

std::vector<OpChange> op_changes(const std::vector<const record::Launch*>& base,
                                 const std::vector<const record::Launch*>& candidate,
                                 bool interleaved) {
  const std::vector<Profile> before = read_all(base);
  const std::vector<Profile> after = read_all(candidate);
  std::vector<OpChange> changes;
  if (before.empty() || after.empty()) return changes;
  std::set<Key> keys;
  for (const Profile* profile : {&before.front(), &after.front()}) {
    for (const auto& [key, sums] : profile->ops) keys.insert(key);
  }
  for (const Key& key : keys) {
    OpChange change{.name = std::get<0>(key),
                    .shapes = std::get<1>(key),
                    .phase = std::get<2>(key),
                    .base_calls = before.front().of(key).calls,
                    .candidate_calls = after.front().of(key).calls,
                    .base_share = before.front().share(key),
                    .candidate_share = after.front().share(key)};
    if (interleaved) add_times(before, after, key, change);
    if (explains(change, before.front().self_ns)) changes.push_back(std::move(change));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const OpChange& a, const OpChange& b) { return weight(a) > weight(b); });
  return changes;
}

}  // namespace stepbench::verdict
