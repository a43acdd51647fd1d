// SPDX-License-Identifier: Apache-2.0
// Launches gathered by case: what every table, CSV and JSON of results is made from.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/estimate/launch_estimate.h"
#include "harness/estimate/request_times.h"
#include "harness/record/reader.h"
#include "harness/stats/interval.h"

namespace stepbench::estimate {

// Where the interval of a row comes from, and so how far it may be trusted.
enum class Spread : std::uint8_t {
  kNone,          // one launch
  kOverLaunches,  // 95 %, order statistics of the launches
  kRange,         // smallest and largest launch: too few launches for an interval
  kWithinLaunch   // of one launch: its windows (`active: auto`) or blocks of its steps (latency)
};

struct MeasuredLaunch {
  const record::Launch* launch = nullptr;  // in the Results
  LaunchEstimate estimate;
};

// Of the launch in the middle, whose step is the case's, or the mean of the two in the middle. So
// they sum to it.
struct PhaseEstimate {
  std::string name;
  double ns = 0;
  double share = 0;
};

// One case of one run, arm and pass. Times are of rank 0, which every other rank waits for.
struct CaseRow {
  std::string case_id;
  std::string run_id = {};
  std::string arm = {};
  Pass pass = Pass::kTiming;
  std::string workload = {};
  bool smoke = false;
  const OptionValues* asked = nullptr;        // in the Results: see options()
  const record::RunRow* run = nullptr;        // in the Results; null: they do not say
  const record::WorkerRow* worker = nullptr;  // of the first launch, in the Results; null as above
  std::vector<MeasuredLaunch> measured = {};
  std::vector<const record::Launch*> skipped = {};
  std::vector<const record::Launch*> failed = {};  // also measured launches without usable samples
  std::int64_t unfinished = 0;
  std::vector<int> running = {};  // numbers of launches that are under way, from 0

  StepClock clock = StepClock::kHost;     // of step_ns: the one that all launches have
  std::optional<double> step_ns = {};     // median over launches of window time / steps
  std::optional<double> latency_ns = {};  // schedule.sync: step; median over launches of their p50
  Spread spread = Spread::kNone;
  stats::Interval interval_ns = {};         // of headline_ns()
  std::optional<double> mean_ns = {};       // of step_ns: far from the median, some launches differ
  std::optional<double> step_host_ns = {};  // by the host's clock
  std::vector<PhaseEstimate> phases = {};   // of the host; sum to step_host_ns
  std::vector<PhaseEstimate> device_phases = {};  // on the stream that computes; sum to step_ns
  std::vector<PhaseEstimate> side_phases = {};    // on other streams, beside the step
  std::optional<double> p50_ns = {};  // medians of the launches' percentiles over steps, host clock
  std::optional<double> p90_ns = {};
  std::optional<double> p99_ns = {};
  std::optional<double> device_span_ns = {};  // by CUDA events
  std::optional<double> host_lead_ns = {};
  std::optional<double> data_wait_share = {};
  std::optional<double> samples_per_s = {};  // work per step over step_ns, like the next ones
  std::optional<double> tokens_per_s = {};
  std::optional<double> bytes_per_s = {};         // where bytes are the work: there are no samples
  std::optional<double> scaling_efficiency = {};  // of ranks: see add_scaling()
  std::optional<stats::Interval> scaling_interval = {};
  std::optional<double> achieved_flops_per_s = {};
  std::optional<double> mfu = {};
  bool mfu_refused = false;                 // above 1: the peak or the count of operations is wrong
  std::optional<double> epoch_gap_ns = {};  // what a border costs beyond a usual wait
  std::optional<double> epoch_gap_per_step_ns = {};  // the same, spread over all steps

  std::vector<RequestTimes> requests = {};  // where steps answer requests

  // Set by compare_with_best() and compare_with_baseline(), in what the rows are judged by.
  std::optional<double> vs_best = {};
  // See best_bounds(): 0.023 = at most 2.3 % slower than the best case, 95 % for all rows at
  // once.
  std::optional<double> at_most_slower = {};
  bool is_best = false;  // or cannot be told from it; none is where all tie
  std::optional<double> vs_baseline = {};
  std::optional<stats::Interval> vs_baseline_interval = {};

  // As asked.
  [[nodiscard]] const OptionValues& options() const {
    static const OptionValues kNone;
    return asked == nullptr ? kNone : *asked;
  }
  // Null where the case has no such option, or no value of it.
  [[nodiscard]] const Value* option(std::string_view name) const {
    const auto found = options().find(name);
    return found == options().end() || is_null(found->second) ? nullptr : &found->second;
  }
  // What the row is about: its latency where that was asked for, else its step.
  [[nodiscard]] std::optional<double> headline_ns() const {
    return latency_ns ? latency_ns : step_ns;
  }
};

// In plan order, which is the order of first appearance. Points into `results`.
[[nodiscard]] std::vector<CaseRow> case_rows(const record::Results& results);

// Of launches under valgrind that count instructions: their steps are many times slower.
[[nodiscard]] bool counts_instructions(const CaseRow& row);

// By a rule, and nothing else is known of it.
[[nodiscard]] bool was_skipped(const CaseRow& row);

// Takes the rows of profiling passes and of counted launches out of `rows` wherever a timed row of
// their case and arm stands beside them: their steps are slower by what the profiling costs.
[[nodiscard]] std::vector<CaseRow> take_profiled(std::vector<CaseRow>& rows);

// "95 % interval", "range (n=3)", "within one launch"; empty for none.
[[nodiscard]] std::string spread_name(const CaseRow& row);

// Why the launch gave no numbers: on one line, never empty.
[[nodiscard]] std::string reason_of(const record::Launch& launch);

// Full names of the options that tell cases apart: those of `swept` that any of them has, in that
// order; where nothing was swept those with two values or more.
[[nodiscard]] std::vector<std::string> varying_options(std::span<const OptionValues* const> cases,
                                                       std::span<const std::string> swept);
// Of the rows; what was swept counts when all results are of one plan.
[[nodiscard]] std::vector<std::string> varying_options(const std::vector<CaseRow>& rows,
                                                       const record::Results& results = {});
// "num_workers" for "loader.num_workers" while no other of `names` ends alike.
[[nodiscard]] std::string short_name(const std::string& name,
                                     const std::vector<std::string>& names);
// The fewest hex digits, six or more, that tell all cases apart.
[[nodiscard]] std::size_t id_digits(const std::set<std::string>& ids);
[[nodiscard]] std::size_t id_digits(const std::vector<CaseRow>& rows);
// How rows are told from each other in a sentence: by what varies, and by their run where there are
// several.
class RowNames {
 public:
  RowNames(const std::vector<CaseRow>& rows, const record::Results& results);
  // "num_workers=4 pin_memory=true (arm a)"
  [[nodiscard]] std::string name(const CaseRow& row) const;
  [[nodiscard]] const std::vector<std::string>& varying() const { return varying_; }
  [[nodiscard]] bool has_runs() const { return runs_; }
  // Without the experiment's name where all runs have the same.
  [[nodiscard]] std::string run(const CaseRow& row) const;

 private:
  std::vector<std::string> varying_;
  bool runs_ = false;
  std::string ending_;  // "-quickstart", of all run ids
};

// What is measured, in one word, for a case with no other beside it: "BM_Load", "train.py",
// "train_step". Empty where nothing says it.
[[nodiscard]] std::string case_subject(const OptionValues& options, const std::string& workload);
// "num_workers=4 pin_memory=true": those of `varying` that have a value. "case ID" if none has, or
// nothing without an id.
[[nodiscard]] std::string case_label(const OptionValues& options,
                                     const std::vector<std::string>& varying,
                                     const std::string& case_id = {});

}  // namespace stepbench::estimate
