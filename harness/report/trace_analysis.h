// SPDX-License-Identifier: Apache-2.0
// The report of `stepbench analyze`: of one trace, of two that are compared, and of the ranks of a
// job. One trace's is a table of blocks, used for text, Markdown, HTML and JSON
// ("stepbench.analysis"). To add a block: a row in analysis_report.cpp and its members in
// analysis_rows.h. Pure; any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/option_values.h"
#include "harness/document/document.h"
#include "harness/findings/finding.h"
#include "harness/json/json_text.h"
#include "harness/traces/analysis.h"
#include "harness/traces/compare_traces.h"
#include "harness/traces/rules.h"

namespace stepbench::report {

inline constexpr std::string_view kAnalysisSchema = "stepbench.analysis";
inline constexpr std::string_view kAnalysisVersion = "3.1.0";

// A trace with its analysis and findings. The trace must outlive it.
struct AnalysedTrace {
  const traces::Trace* trace = nullptr;
  std::string path = {};
  traces::Analysis analysis = {};
  std::vector<Finding> findings = {};  // ranked
  std::optional<int> device = {};      // of the step's time; nullopt: over all devices
};

// Analyses traces by the same options.
class TraceAnalyser {
 public:
  explicit TraceAnalyser(traces::AnalysisOptions how = {}, traces::RuleOptions rules = {})
      : how_(std::move(how)), rules_(std::move(rules)) {}

  // Includes findings, which propose changes to the case that a trace in a run's folder is of.
  // Throws ConfigError if the trace lacks the requested device or step.
  [[nodiscard]] AnalysedTrace analyse(const traces::Trace& trace,
                                      const std::filesystem::path& path);

 private:
  // Options of the case that the trace is of. Reads the results of each run only once.
  [[nodiscard]] Fields case_options(const traces::Trace& trace, const std::filesystem::path& path);

  traces::AnalysisOptions how_;
  traces::RuleOptions rules_;
  std::map<std::filesystem::path, std::map<std::string, OptionValues, std::less<>>> runs_ = {};
};

// What the exit status tells of a trace or of a difference.
struct TraceGate {
  bool strict = false;                   // warnings about the trace are problems
  std::optional<Severity> fail_on = {};  // findings from this severity on fail
};
[[nodiscard]] int status_of(const TraceGate& gate, const AnalysedTrace& analysed);
[[nodiscard]] int status_of(const TraceGate& gate, const traces::TraceDiff& diff);

// The short page for a terminal: the answer, where the step's time went, findings, largest items,
// and unknowns. `row_limit`: rows per kind, 0: all.
[[nodiscard]] document::Document analysis_page(const AnalysedTrace& analysed,
                                               std::size_t row_limit);
// The full version, with all details and tables.
[[nodiscard]] document::Document analysis_document(const AnalysedTrace& analysed,
                                                   std::size_t row_limit);
// A one-line object.
[[nodiscard]] std::string analysis_json(const AnalysedTrace& analysed, int exit_status);

struct TraceBlock {
  std::string_view key;  // in JSON
  // Its name where a page says why it is unknown; empty: never mentioned.
  std::string_view words;
  // Writes it as a member of an open object; if unknown as null with the reason.
  void (*write)(json::JsonText& json, const TraceBlock& block, const AnalysedTrace& analysed);
  bool (*known)(const traces::Analysis& analysis);
  // Why it is unknown; empty if known.
  std::string (*reason)(const traces::Analysis& analysis);
  // Blocks shown for it, with `limit` rows (0: all). Null: none.
  std::vector<document::Block> (*show)(const AnalysedTrace& analysed, std::size_t limit);
};
// In table order.
[[nodiscard]] std::span<const TraceBlock> trace_blocks();

// Tables of everything known except the step's time.
[[nodiscard]] std::vector<document::Block> analysis_tables(const AnalysedTrace& analysed,
                                                           std::size_t row_limit);

// Data exchanged with other ranks, over all ranks.
[[nodiscard]] std::vector<document::Block> matched_collective_blocks(
    const std::vector<traces::MatchedCollectives>& sizes, std::size_t row_limit);

// Adds a note below a table that does not show all rows.
void note_cut(std::size_t rows, std::size_t limit, std::vector<document::Block>& blocks);
[[nodiscard]] std::size_t limited(std::size_t rows, std::size_t limit);

// Output of `stepbench analyze NEW --diff BASE`: what cannot be compared, the change of the step's
// time, and the operators, kernels, calls and findings that changed. Pure; any thread.

// `row_limit`: rows per table, 0: all.
[[nodiscard]] document::Document diff_document(const traces::TraceDiff& diff,
                                               std::size_t row_limit);
// A one-line object: schema, version, `diff`, `exit_code`.
[[nodiscard]] std::string diff_json(const traces::TraceDiff& diff, int exit_status);

// Output of `stepbench analyze` for a job of several ranks: the straggler and one row per rank.
// Pure; any thread.

// Chapters "ranks" and "traces" (the files). `row_limit`: number of ranks, slowest first; 0: all.
[[nodiscard]] document::Document ranks_document(const traces::RankReport& report,
                                                std::size_t row_limit);
// A one-line object: schema, version, `ranks`, `exit_code`.
[[nodiscard]] std::string ranks_json(const traces::RankReport& report, int exit_status);

}  // namespace stepbench::report
