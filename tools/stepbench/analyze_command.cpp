// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/os/text_file.h"
#include "harness/report/pages.h"
#include "harness/report/trace_analysis.h"
#include "harness/text/words.h"
#include "harness/traces/compare_traces.h"
#include "harness/traces/rules.h"
#include "harness/traces/trace_files.h"
#include "tools/stepbench/internal/analyze_input.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

using Paths = std::vector<std::filesystem::path>;

struct AnalyzeOptions {
  std::vector<std::string> paths = {};
  std::string base = {};
  std::string case_id = {};
  std::optional<int> device = {};
  std::optional<std::int64_t> rank = {};
  std::string steps = {};
  bool from_loading = false;
  std::vector<std::string> thresholds = {};
  bool all = false;
  std::optional<std::size_t> row_limit = {};
  std::string format = "page";
  std::string output = {};
  std::string report = {};
  bool strict = false;
  std::string fail_on = {};
  double time_limit_s = kTimeLimitS;

  [[nodiscard]] report::TraceGate gate() const {
    return {.strict = strict, .fail_on = one_of<Severity>(fail_on)};
  }
  // Rows per table; fewer on a short page.
  [[nodiscard]] std::size_t rows(bool short_page = false) const {
    return row_limit.value_or(short_page ? 5 : 10);
  }
};

struct AnalyzeOutput {
  std::string text = {};
  int status = kExitOk;
};

std::optional<std::pair<std::int64_t, std::int64_t>> steps_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t dash = text.find('-');
  const auto first = os::parse_integer(std::string_view(text).substr(0, dash));
  const auto last = dash == std::string::npos
                        ? first
                        : os::parse_integer(std::string_view(text).substr(dash + 1));
  if (!first || !last || *first < 0 || *last < *first) {
    throw ConfigError(
        "--steps",
        formatted("expected the number of a ProfilerStep or a range such as 5-8, not '{}'", text));
  }
  return std::pair(*first, *last);
}

report::TraceAnalyser analyser_of(const AnalyzeOptions& options) {
  return report::TraceAnalyser(
      {.steps = {.from_loading = options.from_loading, .numbers = steps_of(options.steps)}},
      {.device = options.device, .thresholds = traces::thresholds_of(options.thresholds)});
}

struct TracePage {
  std::string text = {};
  int status = kExitOk;
};

// Replaces the pages of a job's ranks by one shared page; JSON output has both. `ranks`: by page.
void join_ranks(const AnalyzeOptions& options, const document::RenderStyle& style,
                std::vector<std::optional<traces::RankTrace>> ranks,
                std::vector<TracePage>& pages) {
  const bool json = options.format == "json";
  const auto of_ranks = std::ranges::count_if(ranks, [](const auto& each) { return bool(each); });
  for (traces::RankJob& job : traces::compare_jobs(std::move(ranks))) {
    int status = kExitOk;
    for (const std::size_t i : job.members) {
      status = std::max(status, pages[i].status);
      if (!json) pages[i].text.clear();
    }
    if (const auto others = of_ranks - std::ssize(job.members); others > 0) {
      job.report.warnings.push_back(text::counted(others, "other trace") +
                                    " with a rank: of another job or of another number of ranks");
    }
    pages[json ? job.members.back() : job.members.front()].text +=
        json ? report::ranks_json(job.report, status)
             : document::render(report::ranks_document(job.report, options.rows()), style);
  }
}

void check_rank(const AnalyzeOptions& options, bool found, const std::set<std::int64_t>& there) {
  if (!options.rank || found) return;
  throw ConfigError("--rank",
                    formatted("no trace of rank {}; ranks: {}", *options.rank,
                              there.empty() ? std::string("none recorded")
                                            : text::join(there, ", ", [](std::int64_t rank) {
                                                return std::to_string(rank);
                                              })));
}

struct ReportedTrace {
  std::unique_ptr<traces::Trace> trace;
  report::AnalysedTrace analysed;
};

// Keeps the traces in `kept` if a report is requested.
AnalyzeOutput pages_of(const AnalyzeOptions& options, const document::RenderStyle& style,
                       const Paths& paths, const Environment& environment,
                       std::vector<ReportedTrace>& kept) {
  report::TraceAnalyser analyser = analyser_of(options);
  std::vector<TracePage> pages;
  std::vector<std::optional<traces::RankTrace>> ranks;
  std::set<std::int64_t> there;
  const bool all_read = read_each(paths, environment, [&](const auto& path, auto trace) {
    if (trace->rank) there.insert(*trace->rank);
    if (options.rank && trace->rank != options.rank) return;
    report::AnalysedTrace analysed = analyser.analyse(*trace, path);
    TracePage& page = pages.emplace_back();
    page.status = report::status_of(options.gate(), analysed);
    page.text =
        options.format == "json"
            ? report::analysis_json(analysed, page.status)
            : document::render(options.all ? report::analysis_document(analysed, options.rows())
                                           : report::analysis_page(analysed, options.rows(true)),
                               style);
    const bool of_several = paths.size() > 1 && !options.rank;
    ranks.push_back(of_several ? traces::rank_trace(path.string(), *trace, analysed.analysis)
                               : std::nullopt);
    if (!options.report.empty()) kept.push_back({std::move(trace), std::move(analysed)});
  });
  check_rank(options, !pages.empty(), there);
  join_ranks(options, style, std::move(ranks), pages);
  AnalyzeOutput out;
  for (const TracePage& page : pages) {
    out.status = std::max(out.status, page.status);
    if (!out.text.empty() && !page.text.empty() && options.format != "json") out.text += '\n';
    out.text += page.text;
  }
  if (!all_read) out.status = kExitUsage;
  return out;
}

// Of `analyze NEW --diff BASE`. Keeps the differences for the report.
AnalyzeOutput diff_pages(const AnalyzeOptions& options, const document::RenderStyle& style,
                         const Paths& bases, const Paths& news, const Environment& environment,
                         std::vector<traces::TraceDiff>& kept) {
  report::TraceAnalyser analyser = analyser_of(options);
  std::vector<traces::DiffSide> base;
  std::vector<traces::DiffSide> next;
  const auto read = [&](const Paths& paths, std::vector<traces::DiffSide>& sides) {
    return read_each(paths, environment, [&](const auto& path, auto trace) {
      const report::AnalysedTrace analysed = analyser.analyse(*trace, path);
      sides.push_back(traces::diff_side(path.string(), *trace, analysed.analysis, analysed.findings,
                                        options.device));
    });
  };
  const bool bases_read = read(bases, base);
  const bool news_read = read(news, next);
  if (base.empty() || next.empty()) return {.status = kExitUsage};
  const auto [pairs, unmatched] = traces::pair_sides(std::move(base), std::move(next));
  if (!unmatched.empty()) environment.err << "no counterpart: " << text::join(unmatched) << '\n';
  AnalyzeOutput out;
  for (const auto& [base_side, new_side] : pairs) {
    traces::TraceDiff diff = traces::compare_traces(base_side, new_side);
    const int own = report::status_of(options.gate(), diff);
    out.status = std::max(out.status, own);
    if (options.format == "json") {
      out.text += report::diff_json(diff, own);
    } else {
      if (!out.text.empty()) out.text += '\n';
      out.text += document::render(report::diff_document(diff, options.rows()), style);
    }
    kept.push_back(std::move(diff));
  }
  if (!bases_read || !news_read) out.status = kExitUsage;
  return out;
}

int analyze(const AnalyzeOptions& options, const Environment& environment) {
  const Paths traces = traces::trace_paths(options.paths, options.case_id);
  const document::RenderStyle style{.markdown = options.format == "markdown",
                                    .colour = environment.colour && options.output.empty(),
                                    .columns = environment.terminal_columns};
  Paths bases;
  if (!options.base.empty()) bases = traces::trace_paths({options.base}, options.case_id);
  const os::CpuLimit limit =
      limit_of(options.time_limit_s, traces.size() + bases.size(), environment);
  check_export_files({.report = options.report}, environment);
  std::vector<ReportedTrace> kept;
  std::vector<traces::TraceDiff> diffs;
  const AnalyzeOutput made = bases.empty()
                                 ? pages_of(options, style, traces, environment, kept)
                                 : diff_pages(options, style, bases, traces, environment, diffs);
  write_output(options.output, environment, [&](const json::TextSink& sink) { sink(made.text); });
  const auto content = [&] {
    if (!bases.empty()) return report::diff_content(diffs, {});
    std::vector<report::AnalysedTrace> analysed;
    for (ReportedTrace& each : kept) analysed.push_back(std::move(each.analysed));
    return report::analysis_content(analysed, {});
  };
  write_report({.report = options.report}, content, options.paths, environment);
  return made.status;
}

}  // namespace

void add_analyze(Command& command) {
  AnalyzeOptions& options = command.calls(analyze);
  command
      .argument("TRACE", options.paths, "Trace files, folders of them, or runs with traces", "FILE")
      .required();
  command
      .option(kCaseOptions, "--diff PATH", options.base,
              "What changed against BASE: a trace, a folder or a run, paired by case or name")
      .common();
  command
      .option(kCaseOptions, "--case ID", options.case_id, "Of runs: only the traces of this case")
      .common();
  command.option(kCaseOptions, "--device N", options.device,
                 "The device whose time is broken down");
  command
      .option(kCaseOptions, "--rank N", options.rank, "With several ranks: the page of this rank")
      .common();
  command
      .option(kCaseOptions, "--steps N|FIRST-LAST", options.steps,
              "Only these steps, by the numbers of ProfilerStep")
      .common();
  command.flag(kCaseOptions, "--steps-from-loading", options.from_loading,
               "In a trace without steps, use data fetches as step boundaries");
  command.option(kVerdictOptions, "--threshold RULE=VALUE", options.thresholds,
                 "Report a finding from this value on; may be repeated");
  command.option(kVerdictOptions, "--fail-on", options.fail_on, "Exit with 1 from this severity on")
      .one_of({"problem", "warning"})
      .common();
  command.flag(kVerdictOptions, "--strict", options.strict,
               "Exit with 4 also for warnings about the trace");
  command
      .option(kOptions, "--time-limit SECONDS", options.time_limit_s,
              "CPU time limit per trace, in seconds")
      .number(0.001, 1e6, "seconds")
      .with_default();
  command
      .flag(kOutputOptions, "--all", options.all,
            "All tables, all places to look at, all parts of a step")
      .common();
  command.option(kOutputOptions, "--row-limit N", options.row_limit, "Rows of each table; 0: all")
      .with_default("10, without --all 5")
      .whole_number(0, 1'000'000'000);
  add_format(command, options.format, {"page", "markdown", "json"});
  command.option(kOutputOptions, "--output FILE", options.output,
                 "Write to this file instead of the terminal");
  add_report_file(command, options.report);
}

}  // namespace stepbench::cli
