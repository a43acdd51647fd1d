// SPDX-License-Identifier: Apache-2.0
// Results of runs as tables and pages: cases (console, CSV, JSON, Markdown), the page of one case,
// operations, modules, ranks, the noise of cases, and the list of runs. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "harness/campaign/run_folder.h"
#include "harness/catalogue/catalogue.h"
#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/noise.h"
#include "harness/estimate/ranking.h"
#include "harness/json/json_text.h"
#include "harness/record/quality.h"
#include "harness/record/result_file.h"
#include "harness/text/numbers.h"
#include "harness/traces/compare_traces.h"
#include "harness/verdict/detectable_change.h"

namespace stepbench::report {

struct TableStyle {
  bool colour = false;
  int columns = 100;  // terminal width
  // Sort key: an option, a column or its head; "-NAME" sorts descending; empty: plan order.
  std::string sort = {};
  std::vector<std::string> select = {};  // only these columns; empty: all
  // Baseline in place of the best row: see compare_with_baseline().
  std::string baseline = {};
  std::vector<std::string> pivot = {};  // two options: one number as rows by columns
  // Shows the sources of noise and the design that finds a relative change of this size below the
  // table, in place of findings, notes and answer.
  std::optional<double> noise = {};
  // By full name: defaults that the page of a case omits. Empty: shows all options.
  Fields defaults = {};
};

// Renders run and machine; one row per case: varying options, the ranking criterion (median over
// launches), its interval or range, its ratio to the best, and other columns; failed cases with
// their reasons, skipped ones in a note. Below it findings, notes and finally the answer, the best
// case. Throws ConfigError, as render() does, if `style` names an unknown column or option.
[[nodiscard]] std::string render_table(const record::Results& results, const TableStyle& style);

enum class Format : std::uint8_t { kTable, kCsv, kJson, kMarkdown };
constexpr EnumNames<4> names_of(Format) { return {"table", "csv", "json", "markdown"}; }
[[nodiscard]] std::string render(const record::Results& results, Format format,
                                 const TableStyle& style);
// Streams the result: for 100,000 cases CSV and JSON have hundreds of MB. If it throws, it does so
// before the first piece.
void write_results(const record::Results& results, Format format, const TableStyle& style,
                   const json::TextSink& sink);

// Facts shared by all cells of a table.
struct TableFacts {
  const record::Results& results;
  std::vector<estimate::CaseRow> rows;
  // Rows of profiling passes of cases with a timed row.
  std::vector<estimate::CaseRow> profiled;
  std::vector<estimate::CaseRow> skipped;  // by a rule, if there are other rows; a note lists them
  estimate::RowNames names;
  bool baseline = false;  // rows are compared with a baseline instead of the best row
  std::optional<estimate::Judged> by = {};
  std::optional<estimate::Ranking> ranking = {};
  text::TimeUnit unit = {};
  std::string spread_head = {};  // most frequent spread; "" if no row has one
  std::set<estimate::StepClock> clocks = {};
  std::set<bool> latencies = {};  // values of "is a latency" over all rows: one of them, or both
};

[[nodiscard]] TableFacts table_facts(const record::Results& results, const TableStyle& style);
// All rows including skipped ones, for notes.
[[nodiscard]] std::vector<estimate::CaseRow> with_skipped(const TableFacts& facts);
// Head of the column of times: "step [ms]", "step, device [ms]", "latency p50 [us]".
[[nodiscard]] std::string headline_head(const TableFacts& facts);
// Text in place of a row's numbers: "failed: …", "skipped: …", "unfinished".
[[nodiscard]] std::string no_numbers(const estimate::CaseRow& row);
// `select`: columns by any of their names; empty: the most useful ones.
[[nodiscard]] document::Table case_grid(const TableFacts& facts,
                                        const std::vector<std::string>& select);
// For `show --noise`: the case, its step, and the spread of its launches and steps.
[[nodiscard]] document::Table noise_grid(const TableFacts& facts);
// Criterion of the table; the step for rows that cannot be ranked.
[[nodiscard]] estimate::Judged judged(const TableFacts& facts);

// The page of one case, as shown by `stepbench show --case ID`. Pure; any thread.

// Options, launches, phases, life cycle, metrics, fingerprint, environment, doubts and failures.
// `defaults`: by full name; options with their default are omitted. Empty: all options are shown.
[[nodiscard]] document::Document case_document(const estimate::CaseRow& row,
                                               const record::Results& results,
                                               const Fields& defaults);
// Defaults for it. Without those that depend on the variant, which are always shown.
[[nodiscard]] Fields option_defaults(const Catalogue& catalogue);

// `show --ops` prints of profiled launches the op table, and below it kernels, runtime calls, waits
// for the device and memory. Pure; any thread.

struct OpsView {
  std::string case_id = {};                // first digits of its id; empty: all cases
  std::string sort = {};                   // largest first; empty: self CUDA, else self CPU time
  std::size_t row_limit = 20;              // 0: all
  std::vector<std::string> group_by = {};  // shape, phase, module
  bool per_step = false;
  std::vector<std::string> columns = {};  // empty: all with values
};

// One table per profiled case and engine, with launches summed. Throws ConfigError naming the
// argument for an unknown column or group, or if no launch was profiled.
[[nodiscard]] std::string render_ops(const record::Results& results, const OpsView& view,
                                     Format format, const TableStyle& style);
// Table of one case for a page: the rows that take longest.
[[nodiscard]] document::Table ops_table(const estimate::ProfiledCase& profiled,
                                        const std::string& title, std::size_t row_limit);

// "num_workers=2  (native, 2 launches, recording cost: 1.40x the step)"
[[nodiscard]] std::string heading(const estimate::ProfiledCase& profiled);
// "recording cost: 1.40x the step"
[[nodiscard]] std::string recording_cost(std::optional<double> overhead, bool within_noise);

// The modules of profiled cases: their reported numbers, the table of `show --ops --by-module`, and
// the exact sums over the profiled steps as CSV and JSON. Pure; any thread.

struct ModulesView {
  std::string case_id = {};  // first digits of its id; empty: all cases
  std::size_t depth = 2;     // displayed levels of a module's path
  // Order of siblings, largest first: time, host, FLOPs, allocated or a phase; module: the model's
  // order. Empty: time.
  std::string sort = {};
};

// One tree per profiled case and engine. Tables for people are per step; CSV and JSON have exact
// sums over the steps and the number of steps. Throws ConfigError naming the argument for an
// unknown key, or if no launch recorded modules.
[[nodiscard]] std::string render_modules(const record::Results& results, const ModulesView& view,
                                         Format format, const TableStyle& style);

// The ranks of each case that was launched as a group: the values of each rank, which rank waits
// for which in the collectives of a step (also for traces), and tables of both. Pure; any thread.

// Square, indexed by position in `ranks`: a row's rank waits for the ranks of the columns.
struct WaitMatrix {
  std::vector<std::int64_t> ranks = {};
  std::vector<std::vector<double>> ns = {};  // mean per step

  [[nodiscard]] bool empty() const;  // true if no rank waits
  // Index of the rank that the others wait for longest in total.
  [[nodiscard]] std::size_t most_waited_for() const;
};

[[nodiscard]] WaitMatrix wait_matrix(const traces::RankReport& report);

// The whole matrix for few ranks, else the longest waits, one per line. nullopt if no rank waits.
[[nodiscard]] std::optional<document::Table> wait_table(const WaitMatrix& matrix);

// Values of one rank, one per launch.
struct RankValues {
  std::set<std::string> hosts;
  std::vector<double> step_ns;
  std::vector<std::string> parts;  // in step order
  std::map<std::string, std::vector<double>> parts_ns;
  std::vector<double> loss;
  std::map<std::string, std::vector<double>> peak_bytes;
  std::vector<double> wait_ns;  // from profiled launches, like the next two
  std::vector<double> work_ns;
  std::map<std::int64_t, std::vector<double>> waits_for_ns;  // by rank

  [[nodiscard]] double part_ns(const std::string& name) const;  // median; 0 if it lacks the part
  // Peak of the device's allocator if recorded, as for `peak_bytes` of a case.
  [[nodiscard]] std::optional<double> peak() const;
};
using RanksOfCase = std::map<int, RankValues>;

[[nodiscard]] std::optional<double> median_of(const std::vector<double>& values);

// A case that was launched as a group.
struct CaseRanks {
  std::string name;
  std::string straggler;  // finding of a profiled launch; empty if there is none or it is unknown
  RanksOfCase ranks;

  [[nodiscard]] bool profiled() const { return !ranks.begin()->second.work_ns.empty(); }
};
// The cases among `rows` with several ranks, each arm of each run once.
[[nodiscard]] std::vector<CaseRanks> cases_with_ranks(const std::vector<estimate::CaseRow>& rows,
                                                      const estimate::RowNames& names,
                                                      const record::Results& results);
[[nodiscard]] std::string straggler_of(const estimate::CaseRow& row,
                                       const record::Results& results);

// Parts of the step on any rank, in step order, `other` last.
[[nodiscard]] std::vector<std::string> parts_of(const RanksOfCase& ranks);
// Medians over the profiled launches.
[[nodiscard]] WaitMatrix wait_matrix(const RanksOfCase& ranks);

[[nodiscard]] document::Table ranks_table(const std::string& title, const RanksOfCase& ranks);
// Explains the numbers. `profiled`: mention waits.
[[nodiscard]] std::vector<std::string> ranks_words(bool profiled);

// A chapter with one table per case with several ranks. Throws ConfigError if there is none.
[[nodiscard]] document::Document ranks_of_cases(const std::vector<estimate::CaseRow>& rows,
                                                const record::Results& results);

// Texts about noise: effects of the machine on launches, the sources of a case's noise, and what it
// would take to find a change. Pure; any thread.

inline constexpr double kUsualChange = 0.02;

struct NoiseQuestion {
  double change = kUsualChange;  // relative; above the margin of a verdict
  std::size_t tests = 2;         // cases times metrics that `compare` tests
};
// As `compare` would test these rows by default.
[[nodiscard]] NoiseQuestion question_of(const std::vector<estimate::CaseRow>& rows, double change);

// Texts for one question, for any number of cases.
class NoiseAdvice {
 public:
  explicit NoiseAdvice(const NoiseQuestion& question);

  // "launches differ by 0.84 %: 0.31 % [0.1, 0.6] of their own, the rest is their 60 steps, each
  // of which differs by 4.1 %"
  [[nodiscard]] static std::string parts(const estimate::CaseNoise& noise);
  // "10 launches of 60 steps find 2.0 % in four of five comparisons (42 s); 8 of 120 would cost
  // less (31 s)". Or why there is no advice; never empty.
  [[nodiscard]] std::string design(const estimate::CaseNoise& noise) const;
  [[nodiscard]] const verdict::LaunchDesigns& designs() const { return designs_; }
  [[nodiscard]] std::string change_text() const;  // "2 %"

 private:
  [[nodiscard]] std::string found_now(const estimate::CaseNoise& noise) const;

  NoiseQuestion question_;
  verdict::LaunchDesigns designs_;
};

// Lines below the table of `show --noise`; only the first of many cases.
[[nodiscard]] std::vector<std::string> noise_lines(const std::vector<estimate::CaseRow>& rows,
                                                   const record::Results& results, double change);

// Columns of `show --noise`: varying options, step and noise.
[[nodiscard]] std::vector<std::string> noise_selection(const record::Results& results);

// Effects of the machine on launches.

// The load of the machine: a sentence and a short form.
struct BusyWords {
  std::string text;   // "the machine was busy: the training thread waited 2.1 to 62.0 % of its ..."
  std::string doubt;  // "waited 2.1 to 62.0 % of its time for a CPU; others used 81.0 %"
};
// `all` must not be empty. `where` is appended to both: " (2 of 3 cases)".
[[nodiscard]] BusyWords busy_words(std::span<const estimate::BusyMachine> all,
                                   const std::string& where);
// "busy machine: waited 62.0 % of its time for a CPU"
[[nodiscard]] std::string busy_words(const estimate::BusyMachine& busy);

// Facts other than waiting that a case's measured launches report: "the hypervisor took 2.0 % of
// the machine's CPU time (in 2 of 6 launches)".
[[nodiscard]] std::vector<std::string> reported_facts(const estimate::CaseRow& row);
// Says that the load of the machine was not recorded, although a launch recorded other facts; else
// empty.
[[nodiscard]] std::string not_watched_words(const estimate::CaseRow& row);

// A list of runs: table, CSV, JSON, Markdown. Pure; any thread.

inline constexpr std::string_view kRunsSchema = "stepbench.runs";
inline constexpr std::string_view kRunsVersion = "1.0.0";

// Kind of run: "run", "smoke run", "run + profile", "ab: regression", "ab".
[[nodiscard]] std::string kind_words(const campaign::RunSummary& run);

// In the order of `runs`. `now`: reference for ages in the table and in Markdown. `all`: number of
// runs before selection.
[[nodiscard]] std::string render_runs(std::span<const campaign::RunSummary> runs, std::size_t all,
                                      Format format, const TableStyle& style, campaign::Moment now);

}  // namespace stepbench::report
