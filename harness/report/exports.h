// SPDX-License-Identifier: Apache-2.0
// What other programs read, one function for each form of it: JUnit, annotations, OpenMetrics,
// Google Benchmark's JSON, CSV of verdicts. results/EXPORTS.md says what stands in each. Pure; any
// thread.
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

// As Jenkins, GitLab and others read them.
[[nodiscard]] std::string junit_xml(std::span<const CheckSuite> suites);

// GitHub shows so many errors and so many warnings of one step.
inline constexpr std::size_t kMaxAnnotations = 10;
// The workflow commands of GitHub, Gitea and Forgejo: lines on standard output that a job shows
// beside the changed files. An error for each check that failed or has no answer, a warning for
// each that was skipped, and a last notice with the numbers of them.
[[nodiscard]] std::string github_annotations(std::span<const CheckSuite> suites);

// More than a server should be given unasked.
inline constexpr std::size_t kMaxSeries = 10'000;
// Gauges for Prometheus: times in seconds, sizes in bytes, shares as ratios. Of several runs the
// last one; of a history the points of the last run of each experiment on each host. Throw
// ConfigError at --max-series for more series.
void write_openmetrics(const record::Results& results, std::size_t max_series,
                       const text::TextSink& sink);
[[nodiscard]] std::string openmetrics_page(std::span<const compare::Comparison> comparisons,
                                           std::size_t max_series = kMaxSeries);
[[nodiscard]] std::string openmetrics_page(const track::History& history,
                                           std::size_t max_series = kMaxSeries);
// A night's verdict file. Throws LineError where it is none.
[[nodiscard]] std::string openmetrics_of_night(std::string_view night_json);
// Where there is no verdict: the exit status alone, so that a dashboard sees it.
[[nodiscard]] std::string openmetrics_of_error(int exit_code);

// A launch as a repetition of a Google Benchmark.
struct GbenchRepetition {
  std::int64_t steps = 0;
  double real_ns = 0;  // the launch's step, or its latency where that was asked for
  double cpu_ns = 0;   // of the worker process per step; 0: not recorded
  // Finite ones: each phase as "forward_ns", "items_per_second" and "tokens_per_second",
  // "data_wait_share", "step_p99_ns", "peak_rss_bytes", "peak_allocated_bytes".
  std::map<std::string, double> counters = {};
};
// `row`: the case of the launch, which says by which clock it is judged.
[[nodiscard]] GbenchRepetition gbench_repetition(const estimate::MeasuredLaunch& measured,
                                                 const estimate::CaseRow& row);
// What Google Benchmark writes with --benchmark_out and its tools/compare.py reads: a case is a
// benchmark, a launch a repetition, times in nanoseconds per step.
[[nodiscard]] std::string gbench_json(const record::Results& results);

// One line for each metric of each compared case, in base units.
[[nodiscard]] std::string verdict_csv(std::span<const compare::Comparison> comparisons);

}  // namespace stepbench::report
