// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/import.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/estimate/launch_values.h"
#include "harness/estimate/noise.h"
#include "harness/json/json_text.h"
#include "harness/nights/history.h"
#include "harness/nights/internal/imported_run.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"
#include "harness/verdict/comparison.h"

namespace stepbench::nights {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kControlOption = "track.control";
constexpr std::string_view kVersionOption = "track.version";
constexpr std::string_view kMainOption = "track.main";
constexpr std::string_view kMetricsOption = "track.metrics";
constexpr std::string_view kBranchLabel = "branch";

std::string peak_reported(const estimate::CaseRow& row) {
  std::vector<const record::Launch*> launches;
  for (const estimate::MeasuredLaunch& each : row.measured) launches.push_back(each.launch);
  return estimate::peak_name(launches);
}

void put(LaunchValues& to, std::string metric, double value) {
  if (std::isfinite(value)) to.values.emplace(std::move(metric), value);
}

void put_phases(LaunchValues& to, const std::vector<estimate::PhaseTime>& phases,
                std::int64_t steps) {
  for (const estimate::PhaseTime& phase : phases) {
    put(to, std::string(kPhaseSeries) + phase.name,
        static_cast<double>(phase.ns) / static_cast<double>(steps));
  }
}

LaunchValues values_of(const estimate::MeasuredLaunch& measured, estimate::StepClock clock,
                       const std::string& peak) {
  const estimate::LaunchEstimate& estimate = measured.estimate;
  LaunchValues values{.launch = measured.launch->row.key.launch, .steps = estimate.steps};
  put(values, std::string(kStepSeries), estimate::headline_ns(estimate, clock));
  const auto& metrics = measured.launch->row.report.metrics;
  if (const auto found = metrics.find(peak); found != metrics.end() && found->second) {
    put(values, std::string(kPeakSeries), *found->second);
  }
  // Device phases do not include the wait for data, which comes from the host phases.
  if (clock == estimate::StepClock::kDevice)
    put_phases(values, estimate.device_phases, estimate.steps);
  put_phases(values, estimate.phases, estimate.steps);
  return values;
}

// The format must not change, so that launches added earlier are recognised.
std::string digest_of(const record::LaunchRow& row, const LaunchValues& values) {
  json::JsonText json;
  json.open_object().integer("attempt", row.attempt);
  json.text("outcome", name_of(row.outcome.kind)).text("started_utc", row.started_utc);
  json.integer("wall_ns", row.wall_ns).integer("steps", values.steps);
  const auto step = values.values.find(kStepSeries);
  if (step != values.values.end()) json.number("step_ns", step->second);
  const auto peak = values.values.find(kPeakSeries);
  if (peak != values.values.end()) json.number("peak_bytes", peak->second);
  return digest(json.close_object().line());
}

class Importer {
 public:
  Importer(const record::Results& results, const fs::path& folder, const ImportOptions& options)
      : results_(results),
        folder_(folder),
        options_(options),
        harness_{.sections = harness_sections(), .workloads = {}} {
    for (const record::WorkerRow& worker : results.workers) {
      environments_.emplace(worker.worker_id, &worker.environment);
    }
  }

  Import take() {
    std::size_t other_ranks = 0;
    for (const record::Launch& launch : results_.launches) other_ranks += launch.row.key.rank != 0;
    exclude("a rank other than 0", other_ranks);
    for (const estimate::CaseRow& row : estimate::case_rows(results_)) add(row);
    for (ImportedRun& run : import_.runs) note_date(run.run);
    for (const auto& [id, fields] : cohorts_) import_.cohorts.push_back({id, fields});
    for (const auto& [why, count] : exclusions_) import_.exclusions.emplace_back(why, count);
    if (results_.running) {
      note("the run is not finished: add it again when it has ended");
    }
    return std::move(import_);
  }

 private:
  void note(std::string text) { import_.notes.push_back(std::move(text)); }
  void exclude(const std::string& why, std::size_t count) {
    if (count > 0) exclusions_[why] += count;
  }

  [[nodiscard]] static std::string reason_to_leave_out(const estimate::CaseRow& row,
                                                       const record::RunRow& run) {
    if (row.smoke || run.smoke) return "smoke";
    if (is_profiling(row.pass)) return "profiled";
    if (row.pass == Pass::kWrapped) return "wrapped";
    if (row.arm == record::kReferenceArm) return "the reference program's";
    if (!row.arm.empty()) return "an arm of ab";
    return {};
  }

  void add(const estimate::CaseRow& row) {
    const auto of_rank_0 = [](const record::Launch* launch) { return launch->row.key.rank == 0; };
    std::vector<const record::Launch*> without_value;
    for (const auto* list : {&row.failed, &row.skipped}) {
      std::copy_if(list->begin(), list->end(), std::back_inserter(without_value), of_rank_0);
    }
    const std::size_t launches = row.measured.size() + without_value.size();
    const record::RunRow& header = header_of(row);
    if (const std::string why = reason_to_leave_out(row, header); !why.empty()) {
      exclude(why, launches);
      return;
    }
    exclude("unfinished", static_cast<std::size_t>(row.unfinished) + row.running.size());
    if (launches == 0) return;
    ImportedCase one{.case_id = row.case_id,
                     .workload = row.workload,
                     .options = naming_options(row.options(), header.swept, catalogue())};
    const auto control = row.options().find(kControlOption);
    one.control = control != row.options().end() && control->second == Value{true};
    const std::string branch = branch_of(row, header);
    const std::string peak = one.peak = peak_reported(row);
    std::vector<LaunchValues> values;
    for (const estimate::MeasuredLaunch& each : row.measured) {
      values.push_back(values_of(each, row.clock, peak));
    }
    std::map<std::string, double> margins = known_margins(row);
    put_tracked_metrics(row, values, one, margins);
    for (std::size_t i = 0; i < values.size(); ++i) {
      add(one, *row.measured[i].launch, std::move(values[i]));
    }
    for (const record::Launch* launch : without_value) {
      exclude(launch->row.outcome.kind == Outcome::Kind::kSkipped ? "skipped by a rule" : "failed",
              1);
      add(one, *launch, {.launch = launch->row.key.launch});
    }
    std::stable_sort(one.launches.begin(), one.launches.end(),
                     [](const ImportedLaunch& a, const ImportedLaunch& b) {
                       return a.values.launch < b.values.launch;
                     });
    if (const auto version = row.options().find(kVersionOption); version != row.options().end()) {
      one.machine.insert_or_assign(std::string(kVersionOption), version->second);
    } else {
      one.machine.insert_or_assign(std::string(kVersionOption), Value{std::int64_t{1}});
    }
    if (!branch.empty()) one.machine.insert_or_assign(std::string(kBranchLabel), Value{branch});
    note_unequal(row, one);
    ImportedRun& run = run_of(row, branch);
    for (const auto& [metric, share] : margins) set_margin(run.run, row.case_id, metric, share);
    if (const auto busy = estimate::busiest({&row, 1})) set_busy(run.run, row.case_id, *busy);
    run.cases.push_back(std::move(one));
  }

  // Empty: the main branch, or none was named.
  [[nodiscard]] static std::string branch_of(const estimate::CaseRow& row,
                                             const record::RunRow& run) {
    const std::string branch = text_of(run.labels, kBranchLabel);
    return branch == text_of(row.options(), kMainOption, "main") ? std::string() : branch;
  }

  std::string name_of(const estimate::CaseRow& row) const {
    return estimate::case_name(row.options(), row.workload, header_of(row).swept, row.case_id);
  }

  std::map<std::string, double> known_margins(const estimate::CaseRow& row) {
    try {
      return margins_of(row.options());
    } catch (const ConfigError& error) {
      note(name_of(row) + ": " + error.what());
      return {};
    }
  }

  void put_tracked_metrics(const estimate::CaseRow& row, std::vector<LaunchValues>& values,
                           ImportedCase& to, std::map<std::string, double>& margins) {
    const std::string names = text_of(row.options(), kMetricsOption);
    if (names.empty()) return;
    std::vector<verdict::TestedMetric> metrics;
    try {
      metrics = tracked_metrics(names, results_.columns);
    } catch (const ConfigError& error) {
      note(name_of(row) + ": " + error.what());
      return;
    }
    verdict::CasePair pair;
    for (const estimate::MeasuredLaunch& each : row.measured) {
      pair.base.measured.push_back(each.launch);
    }
    const verdict::MetricValues read(pair);
    for (const verdict::TestedMetric& metric : metrics) {
      const std::vector<double> of_launches = read.of(metric).base;
      for (std::size_t i = 0; i < values.size(); ++i) put(values[i], metric.metric, of_launches[i]);
      to.metrics.emplace(metric.metric, SeriesMetric{metric.unit, metric.direction});
      if (metric.margin) margins[metric.metric] = *metric.margin;
    }
  }

  void add(ImportedCase& to, const record::Launch& launch, LaunchValues values) {
    static const Fields kNone;
    const auto found = environments_.find(launch.row.worker_id);
    const EnvironmentKey around =
        environment_key_of(launch.row, found == environments_.end() ? kNone : *found->second);
    std::string cohort = cohort_id(around.cohort);
    cohorts_.emplace(cohort, around.cohort);
    // A launch that failed early does not report the device it ran on.
    if (to.machine.empty() || !values.values.empty()) to.machine = around.machine;
    to.launches.push_back({.values = values,
                           .attempt = launch.row.attempt,
                           .outcome = launch.row.outcome,
                           .cohort = std::move(cohort),
                           .digest = digest_of(launch.row, values)});
  }

  [[nodiscard]] const Catalogue& catalogue() const {
    return options_.catalogue != nullptr ? *options_.catalogue : harness_;
  }
  [[nodiscard]] const record::RunRow& header_of(const estimate::CaseRow& row) const {
    const auto found =
        std::find_if(results_.runs.begin(), results_.runs.end(),
                     [&](const record::RunRow& run) { return run.run_id == row.run_id; });
    if (found == results_.runs.end() || row.run_id.empty()) {
      throw ConfigError(folder_.string(),
                        "its launches have no run id: this is not the result of a run");
    }
    return *found;
  }
  // Each branch is an experiment of its own, so that its nights do not mix with main's levels.
  ImportedRun& run_of(const estimate::CaseRow& row, const std::string& branch) {
    for (ImportedRun& run : import_.runs) {
      if (run.run.run_id == row.run_id) return run;
    }
    ImportedRun run{.run = tracked_run(results_, row.run_id, folder_),
                    .is_shard = is_shard(results_, row.run_id)};
    if (!branch.empty()) run.run.experiment += '@' + branch;
    if (const std::string url = text_of(row.options(), kCommitUrlOption); !url.empty()) {
      run.run.context.insert_or_assign(std::string(kCommitUrlOption), Value{url});
    }
    return import_.runs.emplace_back(std::move(run));
  }

  void note_date(const TrackedRun& run) {
    constexpr auto kTolerated = std::chrono::hours(24);
    if (run.started_utc <= text::utc_text(options_.now + kTolerated)) return;
    note(
        formatted("run {} is dated in the future ({}): stored, and not screened; is a clock wrong?",
                  run.run_id, run.started_utc));
  }

  void note_unequal(const estimate::CaseRow& row, const ImportedCase& one) {
    std::set<std::int64_t> steps;
    std::set<std::string> cohorts;
    for (const ImportedLaunch& launch : one.launches) {
      if (launch.values.values.empty()) continue;
      steps.insert(launch.values.steps);
      cohorts.insert(launch.cohort);
    }
    if (steps.size() > 1) {
      note(
          formatted("{} of {}: its launches measured {} to {} steps; a fixed schedule.active makes "
                    "nights comparable",
                    name_of(row), row.run_id, *steps.begin(), *steps.rbegin()));
    }
    if (cohorts.size() > 1) {
      note(
          formatted("{} of {}: the environment changed between its launches; the last one's counts",
                    name_of(row), row.run_id));
    }
  }

  const record::Results& results_;
  const fs::path& folder_;
  const ImportOptions& options_;
  Catalogue harness_;
  std::map<std::string, const Fields*> environments_;
  std::map<std::string, Fields> cohorts_;
  std::map<std::string, std::size_t> exclusions_;
  Import import_;
};

}  // namespace

OptionValues naming_options(const OptionValues& options, const std::vector<std::string>& swept,
                            const Catalogue& catalogue) {
  OptionValues naming;
  for (const auto& [name, value] : options) {
    if (is_null(value) || name == "workload" || name.starts_with("track.")) continue;
    const Option* option = catalogue.find_option(name);
    const bool is_default = option != nullptr && (option->identity == Identity::kContext ||
                                                  is_a_default(*option, value));
    if (!is_default || std::find(swept.begin(), swept.end(), name) != swept.end()) {
      naming.emplace(name, value);
    }
  }
  return naming;
}

ImportReport& ImportReport::operator+=(const ImportReport& other) {
  runs.insert(runs.end(), other.runs.begin(), other.runs.end());
  new_launches += other.new_launches;
  known_launches += other.known_launches;
  points += other.points;
  for (const auto& more : other.exclusions) {
    const auto found = std::find_if(exclusions.begin(), exclusions.end(),
                                    [&](const auto& each) { return each.first == more.first; });
    if (found == exclusions.end()) {
      exclusions.push_back(more);
    } else {
      found->second += more.second;
    }
  }
  conflicts.insert(conflicts.end(), other.conflicts.begin(), other.conflicts.end());
  notes.insert(notes.end(), other.notes.begin(), other.notes.end());
  return *this;
}

Import import_of(const record::Results& results, const fs::path& folder,
                 const ImportOptions& options) {
  return Importer(results, folder, options).take();
}

TrackedSeries series_of(const ImportedCase& one, const std::string& metric) {
  const auto known = one.metrics.find(metric);
  const SeriesMetric kind = known == one.metrics.end() ? kind_of_metric(metric) : known->second;
  TrackedSeries series{.workload = one.workload,
                       .case_id = one.case_id,
                       .metric = metric,
                       .unit = kind.unit,
                       .direction = kind.direction,
                       .monitored = is_monitored(metric),
                       .control = one.control,
                       .options = one.options,
                       .machine = one.machine};
  // Another series than before, when the peak was not summed over the job's processes.
  if (metric == kPeakSeries && one.peak == record::kJobPeak) {
    series.machine.insert_or_assign(metric, Value{one.peak});
  }
  series.id = series_id(series);
  return series;
}

namespace {

constexpr double kConfidence = 0.95;

std::optional<double> value_of(const LaunchValues& launch, std::string_view metric) {
  const auto found = launch.values.find(metric);
  return found == launch.values.end() ? std::nullopt : std::optional(found->second);
}

// The launch whose step is the case's median, or the two that it is the mean of.
std::vector<const LaunchValues*> middle_of(std::span<const LaunchValues> launches) {
  std::vector<const LaunchValues*> all;
  for (const LaunchValues& each : launches) {
    if (value_of(each, kStepSeries)) all.push_back(&each);
  }
  if (all.empty()) return all;
  std::sort(all.begin(), all.end(), [](const LaunchValues* a, const LaunchValues* b) {
    const double first = *value_of(*a, kStepSeries);
    const double second = *value_of(*b, kStepSeries);
    return first != second ? first < second : a->launch < b->launch;
  });
  const std::size_t n = all.size();
  return {all.begin() + static_cast<std::ptrdiff_t>((n - 1) / 2),
          all.begin() + static_cast<std::ptrdiff_t>(n / 2 + 1)};
}

void estimate_middle(CasePoint& point, const std::vector<double>& values) {
  point.value = stats::median(values);
  const auto interval = stats::median_interval(values, kConfidence);
  point.low = interval ? interval->low : point.value;
  point.high = interval ? interval->high : point.value;
}

void estimate_phase(CasePoint& point, const std::vector<const LaunchValues*>& middle) {
  for (const LaunchValues* each : middle) {
    point.value += value_of(*each, point.metric).value_or(0) / static_cast<double>(middle.size());
  }
  point.low = point.high = point.value;
}

}  // namespace

std::vector<CasePoint> case_points(std::span<const LaunchValues> launches) {
  std::set<std::string> metrics;
  std::set<std::int64_t> steps;
  for (const LaunchValues& each : launches) {
    for (const auto& [metric, value] : each.values) metrics.insert(metric);
    steps.insert(each.steps);
  }
  const std::vector<const LaunchValues*> middle = middle_of(launches);
  std::vector<CasePoint> points;
  for (const std::string& metric : metrics) {
    std::vector<double> values;
    for (const LaunchValues& each : launches) {
      if (const auto value = value_of(each, metric)) values.push_back(*value);
    }
    CasePoint point{.metric = metric,
                    .launches = static_cast<std::int64_t>(values.size()),
                    .steps = steps.size() == 1 ? *steps.begin() : 0};
    if (metric.starts_with(kPhaseSeries)) {
      estimate_phase(point, middle);
    } else {
      estimate_middle(point, values);
    }
    points.push_back(std::move(point));
  }
  return points;
}

}  // namespace stepbench::nights
