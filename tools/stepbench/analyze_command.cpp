// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/analyze_input.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/document/render.h"
#include "harness/report/pages.h"
#include "harness/report/trace_analysis.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

bool fails(const AnalyzeOptions& options, const std::vector<Finding>& findings) {
  return std::ranges::any_of(findings, [&](const Finding& finding) {
    return finding.undecided.empty() && fails_on(options, finding.severity);
  });
}

bool has_integrity_problem(const AnalyzeOptions& options, const traces::Analysis& analysis) {
  return analysis.blocked() ||
         (options.strict &&
          std::ranges::any_of(analysis.integrity, [](const traces::IntegrityNote& note) {
            return note.level != traces::IntegrityLevel::kNote;
          }));
}

int status_of(const AnalyzeOptions& options, const report::AnalysedTrace& analysed) {
  if (has_integrity_problem(options, analysed.analysis)) return kExitNothingMeasured;
  return fails(options, analysed.findings) ? kExitSomeFailed : kExitOk;
}

// Output for one trace, and whether it is one of several ranks.
struct TracePage {
  std::string text = {};
  int status = 0;
  std::optional<traces::RankTrace> rank = {};
};

std::string in_format(const AnalyzeOptions& options, const document::RenderStyle& style,
                      const report::AnalysedTrace& analysed, int status) {
  if (options.format == "json") return report::analysis_json(analysed, status);
  return document::render(options.all ? report::analysis_document(analysed, options.rows())
                                      : report::analysis_page(analysed, options.rows(true)),
                          style);
}

std::string in_format(const AnalyzeOptions& options, const document::RenderStyle& style,
                      const traces::RankReport& report, int status) {
  if (options.format == "json") return report::ranks_json(report, status);
  return document::render(report::ranks_document(report, options.rows()), style);
}

// Replaces the pages of a job's ranks by one shared page; JSON output has both.
void join_ranks(const AnalyzeOptions& options, const document::RenderStyle& style,
                std::vector<TracePage>& pages) {
  std::vector<traces::RankTrace> ranks;
  std::vector<std::size_t> page_of_rank;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (!pages[i].rank) continue;
    ranks.push_back(std::move(*pages[i].rank));
    page_of_rank.push_back(i);
  }
  for (const std::vector<std::size_t>& job : traces::rank_jobs(ranks)) {
    const std::int64_t others = std::ssize(page_of_rank) - std::ssize(job);
    std::vector<traces::RankTrace> members;
    int status = kExitOk;
    for (const std::size_t i : job) {
      members.push_back(std::move(ranks[i]));
      status = std::max(status, pages[page_of_rank[i]].status);
      if (options.format != "json") pages[page_of_rank[i]].text.clear();
    }
    traces::RankReport report = traces::compare_ranks(std::move(members));
    if (others > 0) {
      report.warnings.push_back(text::counted(others, "other trace") +
                                " with a rank: of another job or of another number of ranks");
    }
    TracePage& place = pages[page_of_rank[options.format == "json" ? job.back() : job.front()]];
    place.text += in_format(options, style, report, status);
  }
}

void check_rank(const AnalyzeOptions& options, const std::vector<TracePage>& pages,
                const std::set<std::int64_t>& there) {
  if (!options.rank || !pages.empty()) return;
  throw ConfigError("--rank", "no trace of rank " + std::to_string(*options.rank) + "; ranks: " +
                                  (there.empty() ? std::string("none recorded")
                                                 : text::join(there, ", ", [](std::int64_t rank) {
                                                     return std::to_string(rank);
                                                   })));
}

struct ReportedTrace {
  std::unique_ptr<traces::Trace> trace;
  report::AnalysedTrace analysed;
};

// Returns all pages and the exit status. Keeps the traces in `kept` if a report is requested.
AnalyzeOutput pages_of(const AnalyzeOptions& options, const document::RenderStyle& style,
                       const std::vector<std::filesystem::path>& traces,
                       const Environment& environment, std::vector<ReportedTrace>& kept) {
  AnalyzeRequest request(options);
  AnalyzeOutput out;
  bool any_unreadable = false;
  std::vector<TracePage> pages;
  std::set<std::int64_t> there;
  for (const std::filesystem::path& path : traces) {
    std::optional<traces::Trace> read = read_one(path, traces.size() > 1, environment);
    if (!read) {
      any_unreadable = true;
      continue;
    }
    auto trace = std::make_unique<traces::Trace>(std::move(*read));
    if (trace->rank) there.insert(*trace->rank);
    if (options.rank && trace->rank != options.rank) continue;
    report::AnalysedTrace analysed = analyse_one(*trace, path, request);
    TracePage& page = pages.emplace_back();
    page.status = status_of(options, analysed);
    page.text = in_format(options, style, analysed, page.status);
    if (traces.size() > 1 && !options.rank) {
      page.rank = traces::rank_trace(path.string(), *trace, analysed.analysis);
    }
    if (!options.report.empty()) kept.push_back({std::move(trace), std::move(analysed)});
  }
  check_rank(options, pages, there);
  join_ranks(options, style, pages);
  for (const TracePage& page : pages) {
    out.status = std::max(out.status, page.status);
    if (!out.text.empty() && !page.text.empty() && options.format != "json") out.text += '\n';
    out.text += page.text;
  }
  if (any_unreadable) out.status = kExitUsage;
  return out;
}

void write_page(const AnalyzeOptions& options, std::vector<ReportedTrace>& kept,
                const std::vector<traces::TraceDiff>& diffs, const Environment& environment) {
  std::vector<report::AnalysedTrace> traces;
  for (ReportedTrace& each : kept) traces.push_back(std::move(each.analysed));
  const auto content = [&] {
    return options.base.empty() ? report::analysis_content(traces, {})
                                : report::diff_content(diffs, {});
  };
  write_report({.report = options.report}, content, options.paths, environment);
}

int analyze(const AnalyzeOptions& options, const Environment& environment) {
  std::vector<std::filesystem::path> traces = traces_of(options.paths, options.case_id);
  const document::RenderStyle style{.markdown = options.format == "markdown",
                                    .colour = environment.colour && options.output.empty(),
                                    .columns = environment.terminal_columns};
  std::vector<std::filesystem::path> bases;
  if (!options.base.empty()) bases = traces_of({options.base}, options.case_id);
  const TimeLimit limit = limit_of(options, traces.size() + bases.size(), environment);
  check_export_files({.report = options.report}, environment);
  std::vector<ReportedTrace> kept;
  const AnalyzeOutput made = bases.empty() ? pages_of(options, style, traces, environment, kept)
                                           : diff_pages(options, style, bases, traces, environment);
  write_output(options.output, environment, [&](const json::TextSink& sink) { sink(made.text); });
  if (!options.report.empty()) write_page(options, kept, made.diffs, environment);
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

namespace {

using Paths = std::vector<std::filesystem::path>;

struct ReadSide {
  traces::DiffSide side = {};
  std::string own_case = {};  // for a trace written by stepbench: its case and profiler
};

std::vector<ReadSide> read_sides(const Paths& paths, AnalyzeRequest& request,
                                 const Environment& environment, bool& any_unreadable) {
  std::vector<ReadSide> sides;
  for (const std::filesystem::path& path : paths) {
    const std::optional<traces::Trace> trace = read_one(path, paths.size() > 1, environment);
    if (!trace) {
      any_unreadable = true;
      continue;
    }
    const report::AnalysedTrace analysed = analyse_one(*trace, path, request);
    ReadSide read{.side = traces::diff_side(path.string(), *trace, analysed.analysis,
                                            analysed.findings, request.rules.device)};
    if (trace->own && !trace->own_fact("case_id").empty()) {
      read.own_case = "case " + std::string(trace->own_fact("case_id")) + ' ' +
                      std::string(trace->own_fact("engine"));
    }
    sides.push_back(std::move(read));
  }
  return sides;
}

// "worker0" of "worker0.1623143089861.pt.trace.json.gz"
std::string worker_of(const traces::DiffSide& side) {
  std::string name = std::filesystem::path(side.paths.front()).filename().string();
  for (const char* suffix : {".gz", ".json", ".sqlite", ".trace", ".pt"}) {
    if (name.ends_with(suffix)) name.resize(name.size() - std::string_view(suffix).size());
  }
  const std::size_t dot = name.rfind('.');
  const bool is_time = dot != std::string::npos && dot + 1 < name.size() &&
                       name.find_first_not_of("0123456789", dot + 1) == std::string::npos;
  return is_time ? name.substr(0, dot) : name;
}

bool are_ranks(const std::vector<ReadSide>& sides) {
  std::set<std::int64_t> ranks;
  return std::ranges::all_of(sides, [&](const ReadSide& each) {
    return each.side.rank && ranks.insert(*each.side.rank).second;
  });
}

using SidesByKey = std::map<std::string, traces::DiffSide>;

SidesByKey keyed(std::vector<ReadSide> sides, bool own, bool ranks) {
  SidesByKey by_key;
  for (ReadSide& each : sides) {
    std::string key = worker_of(each.side);
    const std::string rank =
        each.side.rank ? "rank " + std::to_string(*each.side.rank) : std::string();
    if (own) {
      key = each.own_case;
      if (each.side.world.value_or(1) > 1) key += ", " + rank;
    } else if (ranks) {
      key = rank;
    }
    const auto [at, is_new] = by_key.try_emplace(key);
    if (is_new) {
      at->second = std::move(each.side);
    } else {
      at->second.append(std::move(each.side));
    }
  }
  return by_key;
}

std::string keys_of(const SidesByKey& sides) {
  return text::join(sides, ", ", [](const auto& each) { return each.first; });
}

using SidePairs = std::vector<std::pair<traces::DiffSide, traces::DiffSide>>;  // base, new

SidePairs paired(std::vector<ReadSide> bases, std::vector<ReadSide> news,
                 const Environment& environment) {
  const auto is_own = [](const ReadSide& each) { return !each.own_case.empty(); };
  const bool own = std::ranges::all_of(bases, is_own) && std::ranges::all_of(news, is_own);
  const bool ranks = are_ranks(bases) && are_ranks(news);
  SidesByKey base = keyed(std::move(bases), own, ranks);
  SidesByKey next = keyed(std::move(news), own, ranks);
  SidePairs pairs;
  if (base.size() == 1 && next.size() == 1) {
    pairs.emplace_back(std::move(base.begin()->second), std::move(next.begin()->second));
    return pairs;
  }
  std::vector<std::string> unmatched;
  for (auto& [key, side] : next) {
    const auto found = base.find(key);
    if (found == base.end()) {
      unmatched.push_back(key + " (only in new)");
    } else {
      pairs.emplace_back(std::move(found->second), std::move(side));
    }
  }
  if (pairs.empty()) {
    throw ConfigError("--diff", "no trace has a counterpart; new has " + keys_of(next) +
                                    "; base has " + keys_of(base));
  }
  for (const auto& [key, side] : base) {
    if (!next.contains(key)) unmatched.push_back(key + " (only in base)");
  }
  if (!unmatched.empty()) environment.err << "no counterpart: " << text::join(unmatched) << '\n';
  return pairs;
}

int status_of_diff(const AnalyzeOptions& options, const traces::TraceDiff& diff) {
  if (!diff.comparable() || (options.strict && diff.doubtful())) return kExitNothingMeasured;
  const bool fails = std::ranges::any_of(diff.findings, [&](const traces::DiffFinding& finding) {
    const bool worse = finding.change == traces::DiffChange::kAppeared ||
                       (finding.is_gain && finding.change == traces::DiffChange::kGrew);
    return worse && fails_on(options, finding.severity);
  });
  return fails ? kExitSomeFailed : kExitOk;
}

}  // namespace

AnalyzeOutput diff_pages(const AnalyzeOptions& options, const document::RenderStyle& style,
                         const Paths& bases, const Paths& news, const Environment& environment) {
  AnalyzeRequest request(options);
  bool any_unreadable = false;
  std::vector<ReadSide> base = read_sides(bases, request, environment, any_unreadable);
  std::vector<ReadSide> next = read_sides(news, request, environment, any_unreadable);
  AnalyzeOutput out;
  if (base.empty() || next.empty()) {
    out.status = kExitUsage;
    return out;
  }
  for (const auto& [base_side, new_side] : paired(std::move(base), std::move(next), environment)) {
    traces::TraceDiff diff = traces::compare_traces(base_side, new_side);
    const int own = status_of_diff(options, diff);
    out.status = std::max(out.status, own);
    if (options.format == "json") {
      out.text += report::diff_json(diff, own);
    } else {
      if (!out.text.empty()) out.text += '\n';
      out.text += document::render(report::diff_document(diff, options.rows()), style);
    }
    if (!options.report.empty()) out.diffs.push_back(std::move(diff));
  }
  if (any_unreadable) out.status = kExitUsage;
  return out;
}

}  // namespace stepbench::cli
