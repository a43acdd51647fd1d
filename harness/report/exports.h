// SPDX-License-Identifier: Apache-2.0
// Formats for other programs: a function for each (JUnit, annotations, OpenMetrics, Google
// Benchmark's JSON, CSV of verdicts), and the table of formats that `export`, its help and commands
// with additional output files read. results/EXPORTS.md documents the contents. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/enum_names.h"
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

// The table of formats, each declared once.

// Contents of a file or URL to be exported.
enum class ExportSource : std::uint8_t { kRun, kVerdict, kNight, kHistory };
constexpr EnumNames<4> names_of(ExportSource) {
  return {"a run", "a verdict", "a night's verdict", "a history"};
}

// Folders and everything unrecognised count as a run: reading it reports the error.
[[nodiscard]] ExportSource export_source(const std::string& path);

struct ExportOptions {
  std::size_t max_series = kMaxSeries;  // for OpenMetrics
};

// A null writer means that the format does not support that source.
struct ExportFormat {
  std::string_view name;
  std::string_view ending;  // ending of file names; selects the first format that has it
  std::string_view use;     // programs that read it
  // If it throws, it does so before the first piece.
  void (*of_run)(const record::Results&, const ExportOptions&, const text::TextSink&) = nullptr;
  std::string (*of_verdict)(std::span<const compare::Comparison>, const ExportOptions&) = nullptr;
  std::string (*of_night)(const std::string& night_json, const ExportOptions&) = nullptr;
  std::string (*of_history)(const track::History&, const ExportOptions&) = nullptr;
};

[[nodiscard]] std::span<const ExportFormat> export_formats();
// nullptr if the name is unknown.
[[nodiscard]] const ExportFormat* export_format(std::string_view name);
// By the ending of a file name; null if no format has it.
[[nodiscard]] const ExportFormat* export_format_of_file(std::string_view file);

}  // namespace stepbench::report
