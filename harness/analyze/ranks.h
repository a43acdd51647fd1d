// SPDX-License-Identifier: Apache-2.0
// Several ranks of one job, a trace each: which rank holds the others up, by how much and by which
// part of its step; how apart their steps begin; what of the communication is hidden. Pure; any
// thread.
//
//   std::vector<RankTrace> ranks;
//   for (each trace) ranks.push_back(rank_trace(path, trace, analyse(trace)));
//   const RankReport report = compare_ranks(std::move(ranks));
//
// A rank that enters a collective early waits inside it until the last one comes: all ranks leave
// it together, so that the rank whose call is the shortest came last, and what the others took
// longer is waiting. This needs no common clock. Collectives are matched by step, group and name,
// in their order; messages between two ranks by these. What a wait costs is what the collective
// takes longer than the shortest call, from that call's length on and while the rank computes
// nothing: had all come in time, the exchange would lie beside what is computed at the call's
// begin. It counts once where several collectives wait. What a rank did in a step without that
// waiting is its own work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/analyze/rank_trace.h"
#include "harness/base/enum_names.h"

namespace stepbench::analyze {

struct RankRow {
  std::int64_t rank = 0;
  std::string path = {};
  double step_ns = 0;  // means over the common steps, as all that follows
  double work_ns = 0;  // without waiting for others
  double wait_ns = 0;  // in collectives, for the last one to enter
  // The same by the row of the rank that entered last; they sum up to it.
  std::vector<double> waits_for_ns = {};
  std::vector<double> parts_ns = {};  // as step_parts()
  double exposed_ns = 0;              // communication while nothing computes
  double communication_ns = 0;
  std::optional<double> hidden_share = {};    // of communication, 0..1
  std::int64_t entered_last = 0;              // collectives
  std::int64_t slowest_in = 0;                // steps in which no rank worked longer
  std::optional<double> starts_late_ns = {};  // behind the first rank of each step
};

struct Straggler {
  std::int64_t rank = 0;
  double gain_ns = 0;     // per step: against the next slowest rank; what could be won at most
  double excess_ns = 0;   // against the median of the other ranks
  double share = 0;       // gain of the step
  std::string part = {};  // of step_parts(), that makes most of it; empty: none does
  double part_ns = 0;     // against the median of the other ranks
};

// How far clocks of ranks can be compared.
enum class RankClocks : std::uint8_t { kOneHost, kHostUnknown, kSeveralHosts, kUnknown };
constexpr EnumNames<4> names_of(RankClocks) {
  return {"one_host", "host_unknown", "several_hosts", "unknown"};
}

// Collectives of equal facts that were matched: what exchanging alone took, from the moment on in
// which the last rank entered.
struct MatchedCollectives {
  ExchangeFacts facts = {};
  Summary duration = {};  // in ns, of the rank that entered last
  Summary skew = {};      // in ns: how long the first rank to enter waited for the last
};

// A rank in one step, from the step's begin on the first rank, or where clocks cannot be compared
// on this one.
struct RankLane {
  TimeSpan step = {};
  IntervalSet waits = {};      // in collectives, for the last rank to enter
  IntervalSet exchanges = {};  // in collectives otherwise
};

struct RankReport {
  std::optional<std::int64_t> world = {};
  WindowKind window = WindowKind::kHostStep;
  IdleScope scope = IdleScope::kHost;
  std::vector<RankRow> rows = {};  // by rank
  std::vector<std::string> warnings = {};
  std::int64_t steps = 0;        // common to all ranks
  std::int64_t collectives = 0;  // matched
  std::int64_t unmatched = 0;  // in common steps: not as many on all ranks, or not known with whom
  // Of these, on the rank with the most, while it does not compute: what of it is waiting is not
  // known. A straggler by less than this is not named.
  double unmatched_ns = 0;
  std::vector<MatchedCollectives> sizes = {};  // by time
  double step_ns = 0;                          // median of the ranks' means
  std::optional<Straggler> straggler = {};
  double imbalance_ns = 0;  // mean over steps of the slowest rank's work less the median one's
  RankClocks clocks = RankClocks::kUnknown;
  // Between the first and the last rank to begin a step; absent where clocks cannot be compared.
  std::optional<double> skew_mean_ns = {};
  std::optional<double> skew_max_ns = {};
  // Of the step that takes its middle rank as long as the middle step does; as `rows`.
  std::int64_t lanes_step = 0;
  std::vector<RankLane> lanes = {};
};

// A straggler is named from this share of the step on, and where it is the slowest in more than
// half of the steps.
inline constexpr double kStragglerShare = 0.01;

[[nodiscard]] RankReport compare_ranks(std::vector<RankTrace> ranks);

// Whether one rank is slower than the others, and more than by chance: straggler.cpp.
// `work_ns`: of each step, by place in report.rows, whose means are known.
[[nodiscard]] std::optional<Straggler> find_straggler(
    const RankReport& report, const std::vector<std::vector<double>>& work_ns);

}  // namespace stepbench::analyze
