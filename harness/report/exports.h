// SPDX-License-Identifier: Apache-2.0
// Results for other programs: cases and steps as CSV, JSON and .npy, and the formats of other tools
// (JUnit, annotations, OpenMetrics, Google Benchmark's JSON, CSV of verdicts), with the table of
// formats that `export`, its help and commands with additional output files read.
// results/EXPORTS.md documents the contents. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/enum_names.h"
#include "harness/base/value.h"
#include "harness/catalogue/catalogue.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/ranking.h"
#include "harness/json/json_text.h"
#include "harness/nights/history.h"
#include "harness/record/result_file.h"
#include "harness/verdict/comparison.h"

namespace stepbench::report {

enum class CheckState : std::uint8_t {
  kPassed,
  kFailed,  // a launch failed; a regression
  kError,   // no result: nothing was measured, or the environment was unfit to judge
  kSkipped  // skipped by a rule; an undecided verdict
};

struct Check {
  std::string name = {};   // "num_workers=4 pin_memory=true"; unique in its suite
  std::string group = {};  // the workload
  CheckState state = CheckState::kPassed;
  std::optional<double> seconds = {};  // step time
  std::string type = {};               // set unless passed: "failed", "regression", "inconclusive"
  std::string message = {};            // the reason in one line; never empty unless passed
  std::string text = {};               // full text, several lines
  std::string repeat = {};             // command line that repeats it
  Fields properties = {};
};

struct CheckSuite {
  std::string name = {};  // name of the experiment, or of the two sides of a verdict
  std::string host = {};
  std::string started_utc = {};
  std::string file = {};  // the experiment's file, as given
  std::string verdict = {};
  std::vector<Check> checks = {};
  Fields properties = {};  // common to all checks

  [[nodiscard]] std::size_t count(CheckState state) const;
};

// One suite per run, in the order of the results. Launches of profiling passes are included only if
// they failed.
[[nodiscard]] std::vector<CheckSuite> checks_of(const record::Results& results);

// One suite per comparison. Only a regression fails: suspected and undecided tests are skipped;
// tests without data or invalid ones are errors.
[[nodiscard]] std::vector<CheckSuite> checks_of(std::span<const verdict::Comparison> comparisons);

// From a night's verdict file. Throws LineError if it is not one.
[[nodiscard]] std::vector<CheckSuite> checks_of_night(std::string_view night_json);

// A single check with the reason why there is no result.
[[nodiscard]] std::vector<CheckSuite> checks_of_error(const std::string& command,
                                                      const std::string& message);

// GitHub shows at most this many errors and warnings per step.
inline constexpr std::size_t kMaxAnnotations = 10;
// Workflow commands of GitHub, Gitea and Forgejo: lines on standard output that a job shows next to
// the changed files. An error per failed check or error, a warning per skipped check, and a final
// notice with their numbers.
[[nodiscard]] std::string github_annotations(std::span<const CheckSuite> suites);

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
// The table of formats, each declared once.

// Contents of a file or URL to be exported.
enum class ExportSource : std::uint8_t { kRun, kVerdict, kNight, kHistory };
constexpr EnumNames<4> names_of(ExportSource) {
  return {"a run", "a verdict", "a night's verdict", "a history"};
}

// Folders and everything unrecognised count as a run: reading it reports the error.
[[nodiscard]] ExportSource export_source(const std::string& path);

// Whole text of an input file. Throws ConfigError if it cannot be read.
[[nodiscard]] std::string stored_text(const std::string& path);

struct ExportOptions {
  // Of openmetrics, to protect servers. Throws ConfigError at --max-series if there are more.
  std::size_t max_series = 10'000;
};

// A null writer means that the format does not support that source.
struct ExportFormat {
  std::string_view name;
  std::string_view ending;  // ending of file names; selects the first format that has it
  std::string_view use;     // programs that read it
  // If it throws, it does so before the first piece.
  void (*of_run)(const record::Results&, const ExportOptions&, const json::TextSink&) = nullptr;
  std::string (*of_verdict)(std::span<const verdict::Comparison>, const ExportOptions&) = nullptr;
  std::string (*of_night)(const std::string& night_json, const ExportOptions&) = nullptr;
  std::string (*of_history)(const nights::History&, const ExportOptions&) = nullptr;
  // Why a command has no result.
  std::string (*of_error)(const std::string& command, const std::string& message,
                          int exit_status) = nullptr;
};

[[nodiscard]] std::span<const ExportFormat> export_formats();
// nullptr if the name is unknown.
[[nodiscard]] const ExportFormat* export_format(std::string_view name);
// By the ending of a file name; null if no format has it.
[[nodiscard]] const ExportFormat* export_format_of_file(std::string_view file);

struct Exported {
  bool measured = true;      // there is anything in it
  std::string warning = {};  // a newer stepbench wrote the file; empty: it did not
};
// Exports a file or a history, not a run. Throws ConfigError at --format if the format does not
// support that source, naming those that do, and what the readers throw.
[[nodiscard]] Exported export_stored(const ExportFormat& format, ExportSource source,
                                     const std::string& path, const ExportOptions& options,
                                     const json::TextSink& sink);

// Cases for programs, as CSV and JSON: one record per case with all that its page shows, in base
// units, and the clock or counter behind each number. Pure; any thread.

// Writes only the columns in `select`, in that order; all if it is empty. Throw ConfigError at
// --columns for an unknown one.
void write_csv(const std::vector<estimate::CaseRow>& rows, const std::vector<std::string>& select,
               const json::TextSink& sink);
// Compares proposals of findings with the rows known to `proposals`.
void write_json(const std::vector<estimate::CaseRow>& rows, const record::Results& results,
                const std::vector<std::string>& select, const estimate::Proposals& proposals,
                const json::TextSink& sink);
[[nodiscard]] std::string json_of(const std::vector<estimate::CaseRow>& rows,
                                  const record::Results& results,
                                  const std::vector<std::string>& select,
                                  const estimate::Proposals& proposals);

// Adds "sources":{"step_ns":"host_clock",...} to an open object, for those of `names` whose
// definition has a source. Adds nothing if none has.
void add_sources(json::JsonText& json, std::span<const std::string> names,
                 std::span<const Metric> definitions);

// Raw steps for other programs. One record per step, by case in table order, launch, cycle and
// step. Columns: `case` (0-based row of the table), `launch`, `rank` and `cycle`, then the columns
// of the samples in order of first appearance; 0 for launches without a column.

struct SampleTable {
  std::vector<std::string> columns;
  std::vector<std::vector<std::int64_t>> values;  // one per column, of equal length
  std::vector<std::string> case_ids;              // by number in column `case`
};

// From measured launches. With `columns`: only these after the four keys, in that order; throws
// ConfigError for an unknown one, with the nearest known name.
[[nodiscard]] SampleTable sample_table(std::span<const estimate::CaseRow> rows,
                                       const std::vector<std::string>& columns);

[[nodiscard]] std::string samples_csv(const SampleTable& table);  // with case_id beside `case`
// {"case_ids":[…],"sources":{name:clock},"columns":{name:[…]}}; `definitions`: of the results.
[[nodiscard]] std::string samples_json(const SampleTable& table,
                                       std::span<const Metric> definitions = {});
// numpy's .npy, version 1.0: a structured array of int64 fields named like the columns.
[[nodiscard]] std::string samples_npy(const SampleTable& table);

// Removes private texts from results before sharing them. Pure; any thread.

// Filters the JSON of `export`: keeps numbers, and texts that identify nobody: digests, times,
// words of stepbench, values listed by an option of `catalogue`, models of processors, versions of
// torch. Removes any other text with its member: names of runs, experiments, hosts and people,
// paths, commands, variables, labels, sentences. Keeps names of metrics, phases and options. Throws
// ConfigError for invalid JSON.
[[nodiscard]] std::string json_without_text(std::string_view json, const Catalogue& catalogue);

}  // namespace stepbench::report
