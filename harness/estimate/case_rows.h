// SPDX-License-Identifier: Apache-2.0
// Launches grouped by case, and the names of cases: the input of every table, CSV and JSON of
// results. Rows point into the results, which must outlive them. Times in nanoseconds. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/option_values.h"
#include "harness/estimate/internal/launch_estimate.h"
#include "harness/estimate/internal/request_times.h"
#include "harness/ops/op_table.h"
#include "harness/record/result_file.h"
#include "harness/stats/order_statistics.h"

namespace stepbench::estimate {

// Origin of a row's interval, and so how far it can be trusted.
enum class Spread : std::uint8_t {
  kNone,          // one launch
  kOverLaunches,  // 95 %, order statistics of the launches
  kRange,         // smallest and largest launch: too few launches for an interval
  kWithinLaunch   // over the windows (`active: auto`) or blocks of steps (latency) of one launch
};
constexpr EnumNames<4> names_of(Spread) {
  return {"none", "interval_95", "range", "within_one_launch"};
}

struct MeasuredLaunch {
  const record::Launch* launch = nullptr;  // in the Results
  LaunchEstimate estimate;
};

// Phase of the launch with the median step, or the mean of the two around it, so that phases sum to
// the case's step.
struct PhaseEstimate {
  std::string name;
  double ns = 0;
  double share = 0;
};

// One case of one run, arm and pass. Times are of rank 0; every other rank waits for it.
struct CaseRow {
  std::string case_id;
  std::string run_id = {};
  std::string arm = {};
  Pass pass = Pass::kTiming;
  std::string workload = {};
  bool smoke = false;
  const OptionValues* asked = nullptr;        // in the Results; see options()
  const record::RunRow* run = nullptr;        // in the Results; null if not recorded
  const record::WorkerRow* worker = nullptr;  // first launch's, in the Results; null as above
  std::vector<MeasuredLaunch> measured = {};
  std::vector<const record::Launch*> skipped = {};
  std::vector<const record::Launch*> failed = {};  // or measured without usable samples
  std::int64_t unfinished = 0;
  std::vector<int> running = {};  // numbers of running launches, from 0

  StepClock clock = StepClock::kHost;     // of step_ns; available in all launches
  std::optional<double> step_ns = {};     // median over launches of window time / steps
  std::optional<double> latency_ns = {};  // with schedule.sync=step: median of the launches' p50
  Spread spread = Spread::kNone;
  stats::Interval interval_ns = {};         // of headline_ns()
  std::optional<double> mean_ns = {};       // mean over launches; far from step_ns if some differ
  std::optional<double> step_host_ns = {};  // by the host's clock
  std::vector<PhaseEstimate> phases = {};   // host clock; sum to step_host_ns
  std::vector<PhaseEstimate> device_phases = {};  // on the compute stream; sum to step_ns
  std::vector<PhaseEstimate> side_phases = {};    // on other streams, concurrent with the step
  std::optional<double> p50_ns = {};  // medians over launches of step percentiles, host clock
  std::optional<double> p90_ns = {};
  std::optional<double> p99_ns = {};
  std::optional<double> device_span_ns = {};  // from CUDA events
  std::optional<double> host_lead_ns = {};
  std::optional<double> data_wait_share = {};
  std::optional<double> samples_per_s = {};  // work per step over step_ns, as for the next two
  std::optional<double> tokens_per_s = {};
  std::optional<double> bytes_per_s = {};         // if the work is bytes: there are no samples
  std::optional<double> scaling_efficiency = {};  // over ranks; see add_scaling()
  std::optional<stats::Interval> scaling_interval = {};
  std::optional<double> achieved_flops_per_s = {};
  std::optional<double> mfu = {};
  bool mfu_refused = false;                 // above 1: the peak or the operation count is wrong
  std::optional<double> epoch_gap_ns = {};  // extra wait at an epoch border, beyond the usual wait
  std::optional<double> epoch_gap_per_step_ns = {};  // the same, spread over all steps

  std::vector<RequestTimes> requests = {};  // if steps answer requests

  // Set by compare_with_best() and compare_with_baseline(), in the quantity that the rows are
  // ranked by.
  std::optional<double> vs_best = {};
  // See best_bounds(): 0.023 = at most 2.3 % slower than the best case, 95 % for all rows together.
  std::optional<double> at_most_slower = {};
  bool is_best = false;  // the best, or tied with it; false for all rows if all tie
  std::optional<double> vs_baseline = {};
  std::optional<stats::Interval> vs_baseline_interval = {};

  // Options as requested.
  [[nodiscard]] const OptionValues& options() const {
    static const OptionValues kNone;
    return asked == nullptr ? kNone : *asked;
  }
  // Null if the case lacks the option or its value is null.
  [[nodiscard]] const Value* option(std::string_view name) const {
    const auto found = options().find(name);
    return found == options().end() || is_null(found->second) ? nullptr : &found->second;
  }
  // The row's main number: latency if it was requested, else the step.
  [[nodiscard]] std::optional<double> headline_ns() const {
    return latency_ns ? latency_ns : step_ns;
  }
};

// In plan order, i.e. order of first appearance. The rows point into `results`.
[[nodiscard]] std::vector<CaseRow> case_rows(const record::Results& results);

// True for launches under valgrind that count instructions: their steps are many times slower.
[[nodiscard]] bool counts_instructions(const CaseRow& row);

// True if all launches of the row were skipped by a rule.
[[nodiscard]] bool was_skipped(const CaseRow& row);

// Moves the rows of profiling passes and of instruction-counting launches out of `rows` if a timed
// row of the same case, arm and run exists: profiling slows their steps down.
[[nodiscard]] std::vector<CaseRow> take_profiled(std::vector<CaseRow>& rows);

// "95 % interval", "range (n=3)", "within one launch"; empty for kNone.
[[nodiscard]] std::string spread_name(const CaseRow& row);

// Why the launch has no numbers: one line, never empty.
[[nodiscard]] std::string reason_of(const record::Launch& launch);

// Full names of the options that distinguish cases: those of `swept` that any case has, in that
// order; if nothing was swept, those with at least two values.
[[nodiscard]] std::vector<std::string> varying_options(std::span<const OptionValues* const> cases,
                                                       std::span<const std::string> swept);
// As above for rows; the swept options are used only if all results are of one plan.
[[nodiscard]] std::vector<std::string> varying_options(const std::vector<CaseRow>& rows,
                                                       const record::Results& results = {});
// "num_workers" for "loader.num_workers" unless another of `names` ends the same way.
[[nodiscard]] std::string short_name(const std::string& name,
                                     const std::vector<std::string>& names);
// The smallest number of hex digits, at least six, that makes all ids distinct.
[[nodiscard]] std::size_t id_digits(const std::set<std::string>& ids);
[[nodiscard]] std::size_t id_digits(const std::vector<CaseRow>& rows);
// Names rows in a sentence by their varying options, and by their run if there are several.
class RowNames {
 public:
  RowNames(const std::vector<CaseRow>& rows, const record::Results& results);
  // "num_workers=4 pin_memory=true (arm a)"
  [[nodiscard]] std::string name(const CaseRow& row) const;
  [[nodiscard]] const std::vector<std::string>& varying() const { return varying_; }
  [[nodiscard]] bool has_runs() const { return runs_; }
  // Run id without the experiment's name if all runs share it.
  [[nodiscard]] std::string run(const CaseRow& row) const;

 private:
  std::vector<std::string> varying_;
  bool runs_ = false;
  std::string ending_;  // "-quickstart", common to all run ids
};

// One-word subject for a single case: "BM_Load", "train.py", "train_step". Empty if unknown.
[[nodiscard]] std::string case_subject(const OptionValues& options, const std::string& workload);
// "num_workers=4 pin_memory=true": those of `varying` that have a value.
[[nodiscard]] std::string case_label(const OptionValues& options,
                                     const std::vector<std::string>& varying);
// Its label, else its subject. If neither is known: "case ID", or empty without an id.
[[nodiscard]] std::string case_name(const OptionValues& options, const std::string& workload,
                                    const std::vector<std::string>& varying,
                                    std::string_view case_id = {});

// Groups profiled launches by case, for the tables of operations and modules.

// The launches of one case by one engine, with their operations summed.
struct ProfiledCase {
  std::string case_id;
  std::string label;
  std::string engine;
  std::int64_t launches = 0;
  std::optional<double> overhead = {};  // profiled step over timed step; nullopt if not timed
  bool within_noise = false;
  ops::OpTable table = {};
};

// Cases whose id begins with `case_id`. Throws ConfigError if there are none.
[[nodiscard]] std::vector<ProfiledCase> profiled_cases(const record::Results& results,
                                                       const std::string& case_id);

// True if recording slowed the step by no more than launches differ. `overhead`: profiled step over
// timed step. `timed`: the row of the timing launches, or null.
[[nodiscard]] bool is_within_noise(double overhead, const CaseRow* timed);

// Names of cases in the style of Google Benchmark, for its JSON and for stepbench-gbench.

// Converts text to one part of a name. '/' and ':' separate parts, and users match names by regular
// expressions, so everything but letters, digits, '_', '-' and '.' becomes '_'. At most 80 bytes.
[[nodiscard]] std::string benchmark_name_part(std::string_view text);

// "train_step/num_workers:4/pin_memory:true": the workload and those of `varying` that have a
// value.
[[nodiscard]] std::string benchmark_name(std::string_view workload, const OptionValues& options,
                                         const std::vector<std::string>& varying);

// Makes names unique: appends "/case:3f2a91bc" to each name that occurs more than once. `case_ids`
// has one id per name.
[[nodiscard]] std::vector<std::string> distinct_names(std::vector<std::string> names,
                                                      std::span<const std::string_view> case_ids);

}  // namespace stepbench::estimate
