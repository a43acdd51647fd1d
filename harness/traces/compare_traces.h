// SPDX-License-Identifier: Apache-2.0
// Compares traces of one job: two of them, or the ranks of one run. Pure; any thread.
//
// Per-step differences between two traces: step time, operators, kernels, calls and
// findings. Each side keeps a value for each counted step. A difference is one of means, so the
// differences of a step's parts sum exactly to the step's.
//
//   const DiffSide base = diff_side("base.json", base_trace, analyse(base_trace), base_findings);
//   const DiffSide next = diff_side("new.json", new_trace, analyse(new_trace), new_findings);
//   const TraceDiff diff = compare_traces(base, next);
//
// Steps of one trace are not independent samples: a change is a difference that the spread of these
// steps does not explain. It makes no claim about the next run.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/findings/finding.h"
#include "harness/traces/analysis.h"

namespace stepbench::traces {

// Costs of the counted steps by name, one value per step. Names are copied, so the trace need not
// be kept.
enum class CostKind : std::uint8_t {
  kOperator,   // ops and annotations of all threads: time in which they are the innermost row
  kKernel,     // kernels, copies and sets: sum of durations, by the step that launched them
  kCall,       // runtime or driver calls, by the step in which they begin
  kShape,      // matrix products, convolutions and attention by shape: EfficiencyRow
  kCollective  // CollectiveRow
};
constexpr EnumNames<5> names_of(CostKind) {
  return {"operator", "kernel", "call", "shape", "collective"};
}
inline constexpr std::size_t kCostKinds = 5;

struct NamedCost {
  CostKind kind = CostKind::kOperator;
  std::string name = {};
  // For operators, if known: "data_wait", "backward", "optimizer" or the outermost annotation
  // around them. For shapes: "forward" or "backward". For collectives: their group.
  std::string phase = {};
  StepShares steps = {};  // calls: number that begin in the step
  // Sum over all steps: FLOP of shapes, bus bytes of collectives; 0: unknown.
  double work = 0;
};

[[nodiscard]] inline auto key_of(const NamedCost& cost) {
  return std::tie(cost.kind, cost.name, cost.phase);
}

// Merges two lists sorted by key: visits both entries of a key together, null for a missing one.
template <typename Costs, typename MoreCosts, typename Visit>
void for_each_key(Costs& a, MoreCosts& b, const Visit& visit) {
  auto left = a.begin();
  auto right = b.begin();
  while (left != a.end() || right != b.end()) {
    const bool has_left = left != a.end() && (right == b.end() || key_of(*left) <= key_of(*right));
    const bool has_right = right != b.end() && (left == a.end() || key_of(*right) <= key_of(*left));
    visit(has_left ? &*left : nullptr, has_right ? &*right : nullptr);
    if (has_left) ++left;
    if (has_right) ++right;
  }
}

// One side: one trace, or several of one case with their steps concatenated.
struct DiffSide {
  std::vector<std::string> paths = {};
  std::string own_case = {};  // of traces written by stepbench: "case 4f2a91c0 native"
  WindowKind window = WindowKind::kHostStep;
  IdleScope scope = IdleScope::kHost;
  std::vector<std::string> devices = {};  // names of the devices that ran work, if recorded
  std::optional<bool> with_shapes = {};
  std::optional<bool> with_stack = {};
  std::optional<bool> with_memory = {};
  bool python_rows = false;
  std::int64_t resolution_ns = 1;
  std::optional<std::int64_t> rank = {};
  std::optional<std::int64_t> world = {};
  std::vector<std::string> damage = {};    // integrity errors that block the numbers
  std::int64_t doubts = 0;                 // number of warnings about the traces
  bool only_edges = false;                 // some trace has only its first and last step
  std::vector<std::size_t> steps_of = {};  // number of entries in `steps` from each trace
  std::vector<StepTime> steps = {};        // counted steps of all traces
  // Sorted by kind, name and phase. Rows with equal names are merged, such as convolutions of one
  // shape with different strides.
  std::vector<NamedCost> costs = {};
  std::vector<Finding> findings = {};  // findings of the first trace

  // Appends the steps of another trace of the case; settings and findings are kept.
  void append(DiffSide more);
};

// `device` as in Analysis::idle_of.
[[nodiscard]] DiffSide diff_side(const std::string& path, const Trace& trace,
                                 const Analysis& analysis, const std::vector<Finding>& findings,
                                 std::optional<int> device = {});

// (base, new). Sides are paired by stepbench case, by rank, or by file name up to its time stamp;
// traces of one side with the same key become one. The only one of each side are a pair.
struct DiffPairs {
  std::vector<std::pair<DiffSide, DiffSide>> pairs = {};
  std::vector<std::string> unmatched = {};  // "rank 3 (only in new)"
};
// Throws ConfigError if there is no pair.
[[nodiscard]] DiffPairs pair_sides(std::vector<DiffSide> bases, std::vector<DiffSide> news);

enum class DiffChange : std::uint8_t {
  kNone,  // within the spread of the steps
  kAppeared,
  kVanished,
  kGrew,
  kShrank,
  kMoreOften,  // same total time, more calls
  kLessOften
};
constexpr EnumNames<7> names_of(DiffChange) {
  return {"none", "appeared", "vanished", "grew", "shrank", "more_often", "less_often"};
}

struct DiffRow {
  std::string name = {};
  std::string phase = {};  // phase of an operator, if known
  DiffChange change = DiffChange::kNone;
  double base_ns = 0;  // means over the steps
  double new_ns = 0;
  double base_count = 0;  // 0 for the step and its parts
  double new_count = 0;
  std::optional<double> base_rate = {};  // per ns: FLOP of shapes, bus bytes of collectives
  std::optional<double> new_rate = {};
  // Smallest difference that counts as a change; absent: too few steps to estimate their spread.
  std::optional<double> noise_ns = {};

  [[nodiscard]] double difference_ns() const { return new_ns - base_ns; }
  [[nodiscard]] bool changed() const { return change != DiffChange::kNone; }
};

// All rows of one kind, sorted by descending difference.
struct DiffTable {
  CostKind kind = CostKind::kOperator;
  std::vector<DiffRow> rows = {};
  DiffRow sum = {};  // sum of all rows
};

struct DiffFinding {
  std::string id = {};
  DiffChange change = DiffChange::kNone;  // appeared, vanished, grew, shrank
  Severity severity = Severity::kInfo;
  std::string text = {};            // text of the new side; of the base if the finding vanished
  std::optional<double> base = {};  // gain per step in ns, or the value
  std::optional<double> next = {};
  bool is_gain = false;
};

struct DiffNote {
  IntegrityLevel level = IntegrityLevel::kNote;
  std::string text = {};
};

struct TraceDiff {
  std::vector<std::string> base_paths = {};
  std::vector<std::string> new_paths = {};
  WindowKind window = WindowKind::kHostStep;  // the new side's
  IdleScope scope = IdleScope::kHost;
  std::int64_t base_steps = 0;
  std::int64_t new_steps = 0;
  std::vector<DiffNote> notes = {};  // sorted by severity; errors make the traces not comparable
  DiffRow step = {};
  std::vector<DiffRow> parts = {};  // as step_parts(), without parts that neither side has
  std::vector<DiffTable> tables = {};
  std::vector<DiffFinding> findings = {};  // changed findings only

  [[nodiscard]] bool comparable() const;
  [[nodiscard]] bool doubtful() const;  // has errors or warnings
  [[nodiscard]] bool nothing_changed() const;
};

// A difference counts as a change from three standard errors on: of the steps or, with at least
// three traces per side, of the trace means, because launches differ by more than the steps of one.
// It must also reach 2 % of the larger value and 0.1 % of the base's step; with fewer than three
// steps on a side, 5 % of the larger value.
inline constexpr double kDiffErrors = 3;
inline constexpr double kDiffShare = 0.02;
inline constexpr double kDiffShareOfFewSteps = 0.05;
inline constexpr double kDiffShareOfStep = 0.001;
inline constexpr std::size_t kStepsForSpread = 3;
inline constexpr std::size_t kTracesForSpread = 3;
// A difference in calls needs the same standard errors and at least one call in ten steps.
inline constexpr double kDiffCalls = 0.1;

[[nodiscard]] TraceDiff compare_traces(const DiffSide& base, const DiffSide& next);

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

// What is kept of a rank.
struct RankStep {
  std::int64_t number = 0;    // N of ProfilerStep#N
  std::int64_t begin_ns = 0;  // on the trace's own clock; since 1970 if it has a base
  StepTime time = {};
  std::int64_t communication_ns = 0;          // all communication, including hidden
  std::vector<ExchangeRow> collectives = {};  // sorted by start
};

struct RankTrace {
  std::string path = {};
  std::int64_t rank = 0;
  std::optional<std::int64_t> world = {};
  std::string job = {};  // for a trace of stepbench: case, launch and profiler
  std::string host = {};
  bool since_1970 = false;   // its clock gives absolute time
  std::int64_t base_ns = 0;  // absolute time at which the trace's own clock is 0
  bool damaged = false;
  WindowKind window = WindowKind::kHostStep;
  IdleScope scope = IdleScope::kHost;
  std::int64_t resolution_ns = 1;
  // Kernels that compute; without a device, operators of the step thread.
  IntervalSet computing = {};
  std::vector<RankStep> steps = {};  // counted steps
};

// nullopt if the trace does not record its rank.
[[nodiscard]] std::optional<RankTrace> rank_trace(const std::string& path, const Trace& trace,
                                                  const Analysis& analysis);

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

// A job of several ranks among many traces, by their places.
struct RankJob {
  std::vector<std::size_t> members = {};
  RankReport report = {};
};
// nullopt: a trace without a rank, which is in no job.
[[nodiscard]] std::vector<RankJob> compare_jobs(std::vector<std::optional<RankTrace>> traces);

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

}  // namespace stepbench::traces
