// SPDX-License-Identifier: Apache-2.0
// Output for other programs, one function per format: JUnit, annotations, OpenMetrics, Google
// Benchmark's JSON, CSV of verdicts. Contents: results/EXPORTS.md. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "harness/compare/comparison.h"
#include "harness/estimate/case_rows.h"
#include "harness/record/reader.h"
#include "harness/report/checks.h"
#include "harness/text/text_sink.h"
#include "harness/track/history.h"

namespace stepbench::report {

// In the form that Jenkins, GitLab and others read.
[[nodiscard]] std::string junit_xml(std::span<const CheckSuite> suites);

// GitHub shows at most this many errors and warnings per step.
inline constexpr std::size_t kMaxAnnotations = 10;
// Workflow commands of GitHub, Gitea and Forgejo: lines on standard output that a job shows next to
// the changed files. An error per failed check or error, a warning per skipped check, and a final
// notice with their numbers.
[[nodiscard]] std::string github_annotations(std::span<const CheckSuite> suites);

// Default limit, to protect servers.
inline constexpr std::size_t kMaxSeries = 10'000;
// Gauges for Prometheus: times in seconds, sizes in bytes, shares as ratios. Of several runs only
// the last; of a history the points of the last run of each experiment and host. Throw ConfigError
// at --max-series if there are more series.
void write_openmetrics(const record::Results& results, std::size_t max_series,
                       const text::TextSink& sink);
[[nodiscard]] std::string openmetrics_page(std::span<const compare::Comparison> comparisons,
                                           std::size_t max_series = kMaxSeries);
[[nodiscard]] std::string openmetrics_page(const track::History& history,
                                           std::size_t max_series = kMaxSeries);
// From a night's verdict file. Throws LineError if it is not one.
[[nodiscard]] std::string openmetrics_of_night(std::string_view night_json);
// For a failure: only the exit status, so that dashboards notice it.
[[nodiscard]] std::string openmetrics_of_error(int exit_code);

// A launch as a repetition in Google Benchmark's sense.
struct GbenchRepetition {
  std::int64_t steps = 0;
  double real_ns = 0;  // step of the launch, or its latency if requested
  double cpu_ns = 0;   // CPU time of the worker process per step; 0: not recorded
  // Finite values only: each phase as "forward_ns", "items_per_second" and "tokens_per_second",
  // "data_wait_share", "step_p99_ns", "peak_rss_bytes", "peak_allocated_bytes".
  std::map<std::string, double> counters = {};
};
// `row`: the launch's case, for the clock.
[[nodiscard]] GbenchRepetition gbench_repetition(const estimate::MeasuredLaunch& measured,
                                                 const estimate::CaseRow& row);
// The format of Google Benchmark's --benchmark_out, readable by its tools/compare.py: cases are
// benchmarks, launches are repetitions, times are nanoseconds per step.
[[nodiscard]] std::string gbench_json(const record::Results& results);

// One line per metric of each compared case, in base units.
[[nodiscard]] std::string verdict_csv(std::span<const compare::Comparison> comparisons);

}  // namespace stepbench::report
