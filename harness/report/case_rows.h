// SPDX-License-Identifier: Apache-2.0
// Launches gathered by case: what every table, CSV and JSON of results is made from.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/record/reader.h"
#include "harness/record/summary.h"
#include "harness/stats/interval.h"

namespace stepbench {

// Where the interval of a row comes from, and so how far it may be trusted.
enum class Spread : std::uint8_t {
  kNone,          // one launch
  kOverLaunches,  // 95 %, order statistics of the launch medians
  kRange,         // smallest and largest launch median: too few launches for an interval
  kWithinLaunch   // one launch with `active: auto`
};

struct MeasuredLaunch {
  const Launch* launch = nullptr;  // in the Results
  LaunchSummary summary;
};

// One case of one arm and pass. Times are of rank 0, which every other rank waits for.
struct CaseRow {
  std::string case_id;
  std::string arm;
  Pass pass = Pass::kTiming;
  std::string workload;
  Fields options = {};  // as asked
  bool smoke = false;
  std::vector<MeasuredLaunch> measured = {};
  std::vector<const Launch*> skipped = {};
  std::vector<const Launch*> failed = {};  // also measured launches without usable samples
  std::int64_t unfinished = 0;

  std::optional<double> step_ns = {};  // median of launch medians
  Spread spread = Spread::kNone;
  Interval interval_ns = {};
  std::optional<double> p90_ns = {};  // medians of the launches' percentiles over steps
  std::optional<double> p99_ns = {};
  std::optional<double> device_step_ns = {};  // by CUDA events
  std::optional<double> data_wait_share = {};
  std::optional<double> samples_per_s = {};
  std::optional<double> tokens_per_s = {};
  std::optional<double> epoch_gap_ns = {};
  std::optional<double> achieved_flops_per_s = {};
  std::optional<double> mfu = {};
};

// In plan order, which is the order of first appearance. Points into `results`.
[[nodiscard]] std::vector<CaseRow> case_rows(const Results& results);

// Takes the rows of profiling passes out of `rows` wherever a timed row of their case and arm
// stands beside them: their steps are slower by what the profiling costs.
[[nodiscard]] std::vector<CaseRow> take_profiled(std::vector<CaseRow>& rows);

// The launches of one case, with all that explains them.
[[nodiscard]] Results only_case(const Results& results, const CaseRow& row);

// "95 % interval", "range (n=3)", "within one launch"; empty for none.
[[nodiscard]] std::string spread_name(const CaseRow& row);

// Full names of the options that tell the rows apart: those that the sweep varied, in its order,
// when all rows are of one plan; else those with two values or more.
[[nodiscard]] std::vector<std::string> varying_options(const std::vector<CaseRow>& rows,
                                                       const Results& results = {});
// "num_workers" for "loader.num_workers" while no other of `names` ends alike.
[[nodiscard]] std::string short_name(const std::string& name,
                                     const std::vector<std::string>& names);
// The fewest hex digits, six or more, that tell all cases apart.
[[nodiscard]] std::size_t id_digits(const std::vector<CaseRow>& rows);
// "num_workers=4 pin_memory=true", or the case's id when nothing varies.
[[nodiscard]] std::string case_label(const CaseRow& row, const std::vector<std::string>& varying);

}  // namespace stepbench
