// SPDX-License-Identifier: Apache-2.0
// Compares several ranks of one job, one trace each: which rank delays the others, by how much and
// in which part of its step; how far apart their steps begin; how much communication is hidden.
// Pure; any thread.
//
//   std::vector<RankTrace> ranks;
//   for (each trace) ranks.push_back(rank_trace(path, trace, analyse(trace)));
//   const RankReport report = compare_ranks(std::move(ranks));
//
// A rank that enters a collective early waits inside it until the last rank enters; all ranks leave
// together. So the rank with the shortest call came last, and the excess of the other calls is
// waiting. This needs no common clock. Collectives are matched by step, group and name, in order;
// messages between two ranks likewise. The cost of a wait is the part of the call beyond the
// shortest call's length in which the rank computes nothing: if all had come in time, the exchange
// would overlap what is computed at the beginning of the call. Time in which several collectives
// wait counts once. A rank's own work in a step is the step without this waiting.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analyze/internal/rank_trace.h"
#include "harness/base/enum_names.h"
#include "harness/findings/finding.h"

namespace stepbench::analyze {

struct RankRow {
  std::int64_t rank = 0;
  std::string path = {};
  double step_ns = 0;  // means over the common steps, as for all members below
  double work_ns = 0;  // without waiting for other ranks
  double wait_ns = 0;  // in collectives, for the last rank to enter
  // The same, split by the row of the rank that entered last; sums to wait_ns.
  std::vector<double> waits_for_ns = {};
  std::vector<double> parts_ns = {};  // as step_parts()
  double exposed_ns = 0;              // communication while nothing computes
  double communication_ns = 0;
  std::optional<double> hidden_share = {};    // share of communication, 0..1
  std::int64_t entered_last = 0;              // number of collectives
  std::int64_t slowest_in = 0;                // steps in which no other rank worked longer
  std::optional<double> starts_late_ns = {};  // delay behind the first rank of each step
};

struct Straggler {
  std::int64_t rank = 0;
  double gain_ns = 0;     // per step, against the next slowest rank: largest possible gain
  double excess_ns = 0;   // relative to the median of the other ranks
  double share = 0;       // gain_ns / step time
  std::string part = {};  // largest part, from step_parts(); empty: no part dominates
  double part_ns = 0;     // relative to the median of the other ranks
};

// How comparable the clocks of the ranks are.
enum class RankClocks : std::uint8_t { kOneHost, kHostUnknown, kSeveralHosts, kUnknown };
constexpr EnumNames<4> names_of(RankClocks) {
  return {"one_host", "host_unknown", "several_hosts", "unknown"};
}

// Matched collectives with equal facts, each timed from the moment the last rank entered.
struct MatchedCollectives {
  ExchangeFacts facts = {};
  Summary duration = {};  // in ns, on the rank that entered last
  Summary skew = {};      // in ns: how long the first rank to enter waited for the last
};

// A rank in one step. Times are relative to the step's start on the first rank or, if clocks are
// not comparable, on this rank.
struct RankLane {
  TimeSpan step = {};
  IntervalSet waits = {};      // in collectives, waiting for the last rank to enter
  IntervalSet exchanges = {};  // the rest of the time in collectives
};

struct RankReport {
  std::optional<std::int64_t> world = {};
  WindowKind window = WindowKind::kHostStep;
  IdleScope scope = IdleScope::kHost;
  std::vector<RankRow> rows = {};  // sorted by rank
  std::vector<std::string> warnings = {};
  std::int64_t steps = 0;        // common to all ranks
  std::int64_t collectives = 0;  // matched
  std::int64_t unmatched = 0;  // in common steps: counts differ between ranks, or peers are unknown
  // Time in unmatched collectives while not computing, on the rank with the most: how much of it is
  // waiting is unknown. A straggler by less than this is not reported.
  double unmatched_ns = 0;
  std::vector<MatchedCollectives> sizes = {};  // sorted by time
  double step_ns = 0;                          // median of the ranks' means
  std::optional<Straggler> straggler = {};
  double imbalance_ns = 0;  // mean over steps of slowest rank's work - median rank's work
  RankClocks clocks = RankClocks::kUnknown;
  // Time between the first and the last rank to begin a step; absent if clocks are not comparable.
  std::optional<double> skew_mean_ns = {};
  std::optional<double> skew_max_ns = {};
  // The step whose median rank takes as long as the median step; `lanes` is indexed as `rows`.
  std::int64_t lanes_step = 0;
  std::vector<RankLane> lanes = {};
};

// A straggler is reported if its gain is at least this share of the step and it is the slowest in
// more than half of the steps.
inline constexpr double kStragglerShare = 0.01;

[[nodiscard]] RankReport compare_ranks(std::vector<RankTrace> ranks);

// Finds a rank that is slower than the others by more than chance explains: ranks.cpp.
// `work_ns`: work per step, each by index in report.rows, whose means are already filled in.
[[nodiscard]] std::optional<Straggler> find_straggler(
    const RankReport& report, const std::vector<std::vector<double>>& work_ns);

// The rank that delays the others, as a finding of a launch.

// Largest accepted probability that a rank is the slowest this often if all ranks are equal.
inline constexpr double kStragglerChance = 0.01;

// nullopt if no straggler is named or chance may explain it. Also without collectives, because
// waiting then looks like work, and the slow rank delays no other.
[[nodiscard]] std::optional<Finding> straggler_finding(const RankReport& report);

// Puts the straggler's own finding before the remedy if its gain is of the size of the others'
// wait; of several such findings, the one with the largest gain.
void add_own_cause(std::span<const Finding> of_straggler, Finding& finding);

}  // namespace stepbench::analyze
