// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/run_ab.h"
#include "harness/document/render.h"
#include "harness/estimate/case_rows.h"
#include "harness/estimate/columns.h"
#include "harness/json/json_text.h"
#include "harness/record/result_file.h"
#include "harness/report/exports.h"
#include "harness/report/result_tables.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/verdict/tested_metrics.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/run_folders.h"
#include "tools/stepbench/options.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

constexpr std::size_t kOpRows = 20;

struct ShowOptions {
  std::vector<std::string> paths = {};
  std::string case_id = {};
  bool all_options = false;
  bool samples = false;
  bool ops = false;
  std::vector<std::string> group_by = {};
  std::optional<std::size_t> row_limit = {};
  bool per_step = false;
  bool by_module = false;
  std::optional<std::size_t> depth = {};
  std::string format = {};
  std::vector<std::string> columns = {};
  std::string sort = {};
  std::vector<std::string> filter = {};
  std::string baseline = {};
  std::vector<std::string> pivot = {};
  bool noise = false;
  bool ranks = false;
  std::string find = {};
  std::string output = {};
};

std::string raw_samples(const ShowOptions& options, const record::Results& results) {
  std::vector<estimate::CaseRow> chosen = estimate::case_rows(results);
  if (!options.case_id.empty()) chosen = estimate::find_case(chosen, results, options.case_id);
  const report::SampleTable table = report::sample_table(chosen, options.columns);
  if (options.format.empty() || options.format == "csv") return report::samples_csv(table);
  if (options.format == "json") return report::samples_json(table, results.columns);
  if (options.format == "npy") return report::samples_npy(table);
  throw ConfigError("--format", "raw samples support csv, json or npy, not " + options.format);
}

std::string modules(const ShowOptions& options, const record::Results& results,
                    const report::TableStyle& style) {
  const report::ModulesView view{.case_id = options.case_id,
                                 .depth = options.depth.value_or(report::ModulesView{}.depth),
                                 .sort = options.sort};
  return report::render_modules(results, view, format_of(options.format), style);
}

std::string ranks(const ShowOptions& options, const record::Results& results,
                  const report::TableStyle& style) {
  std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  if (!options.case_id.empty()) rows = estimate::find_case(rows, results, options.case_id);
  const document::Document page = report::ranks_of_cases(rows, results);
  if (options.format == "markdown") return document::render_markdown(page);
  return document::render(page, {.colour = style.colour, .columns = style.columns});
}

// Reject option combinations that make no sense.
void check_combination(const ShowOptions& options) {
  const auto refuse = [](bool given, const char* flag, const std::string& why) {
    if (given) throw ConfigError(flag, why);
  };
  const bool raw = options.samples || options.format == "npy";
  const bool pivot = !options.pivot.empty();
  const bool baseline = !options.baseline.empty();
  const bool grouped = !options.group_by.empty();
  refuse(!options.by_module && options.depth.has_value(), "--depth",
         "needs --by-module: stepbench show --by-module --depth N");
  const std::string of_cases = "belongs to the table of cases, not to --ops";
  refuse(options.ops && pivot, "--pivot", of_cases);
  refuse(options.ops && baseline, "--baseline", of_cases);
  refuse(options.ops && raw, "--ops",
         "an op table supports table, csv, json or markdown; leave out --samples and npy");
  const bool other = options.ops || raw || options.noise || pivot || baseline ||
                     !options.case_id.empty() || !options.columns.empty();
  refuse(options.format == "github" && other, "--format",
         "github lists the failed cases of a run: leave out options that choose cases or columns");
  refuse(options.by_module && (grouped || options.per_step || !options.columns.empty()),
         "--by-module",
         "adds up the modules of all steps: leave out --group-by, --per-step and --columns");
  refuse((raw || !options.case_id.empty()) && (pivot || baseline), pivot ? "--pivot" : "--baseline",
         "belongs to the table of cases: leave out --case, --samples and npy");
  refuse(pivot && baseline, "--pivot", "shows numbers and no ratios: leave out --baseline");
  const auto refuse_beside = [&](bool given, const char* flag, const std::string& why,
                                 const std::vector<std::pair<bool, const char*>>& others) {
    for (const auto& [is_too, name] : others) refuse(given && is_too, flag, why + name);
  };
  refuse_beside(options.noise, "--noise", "has columns of its own: leave out ",
                {{options.ops, "--ops"},
                 {raw, "--samples and npy"},
                 {pivot, "--pivot"},
                 {baseline, "--baseline"},
                 {!options.columns.empty(), "--columns"}});
  refuse(options.noise && !options.case_id.empty(), "--noise",
         "applies to the table; the page of a case always shows it: leave out --case");
  refuse(!options.noise && !options.find.empty(), "--find",
         "needs --noise: stepbench show --noise --find " + options.find);
  refuse_beside(options.ranks, "--ranks", "shows the ranks of each case: leave out ",
                {{options.ops, "--ops"},
                 {raw || options.noise, "--samples and --noise"},
                 {pivot || baseline, "--pivot and --baseline"},
                 {!options.columns.empty(), "--columns"}});
  refuse(options.ranks && !options.format.empty() && options.format != "table" &&
             options.format != "markdown",
         "--format", "--ranks supports table or markdown; --samples has each step of each rank");
  const bool page = !options.case_id.empty() && !options.ops && !options.ranks && !raw &&
                    (options.format.empty() || options.format == "table");
  const std::string whole = "a case's page shows all of it: leave this out, or add --format csv";
  refuse(page && !options.columns.empty(), "--columns", whole);
  refuse(page && !options.sort.empty(), "--sort", whole);
}

// True for the table of all cases, which may be longer than memory holds.
bool is_whole_table(const ShowOptions& options) {
  return options.case_id.empty() && !options.ops && !options.ranks && !options.samples &&
         options.format != "npy" && options.format != "github";
}

// Text for everything but the whole table.
std::string content(const ShowOptions& options, const record::Results& results,
                    const report::TableStyle& style) {
  if (options.ops) {
    if (options.by_module) return modules(options, results, style);
    const bool for_programs = options.format == "csv" || options.format == "json";
    const report::OpsView view{.case_id = options.case_id,
                               .sort = options.sort,
                               .row_limit = options.row_limit.value_or(for_programs ? 0 : kOpRows),
                               .group_by = options.group_by,
                               .per_step = options.per_step,
                               .columns = options.columns};
    return report::render_ops(results, view, format_of(options.format), style);
  }
  if (options.ranks) return ranks(options, results, style);
  if (options.samples || options.format == "npy") return raw_samples(options, results);
  if (options.format == "github") return report::github_annotations(report::checks_of(results));
  const std::vector<estimate::CaseRow> all = estimate::case_rows(results);
  const std::vector<estimate::CaseRow> rows = estimate::find_case(all, results, options.case_id);
  if (options.format.empty() || options.format == "table") {
    return text::join(rows, "\n", [&](const estimate::CaseRow& row) {
      return document::render(report::case_document(row, results, style.defaults),
                              {.colour = style.colour, .columns = style.columns});
    });
  }
  record::Results only = results;
  estimate::keep_case(only, rows.front().case_id);
  if (options.format == "json") {
    return report::json_of(estimate::case_rows(only), only, style.select,
                           estimate::Proposals(all, results));
  }
  return report::render(only, format_of(options.format), style);
}

// Replaces the path of a displayed run by its id.
std::string baseline_of(const ShowOptions& options) {
  const auto& paths = options.paths;
  const bool is_path = std::find(paths.begin(), paths.end(), options.baseline) != paths.end();
  if (!is_path) return options.baseline;
  const record::Results base = record::read_results(options.baseline);
  return base.runs.empty() ? options.baseline : base.runs.front().run_id;
}

// The change given by --find for --noise, or the usual one.
double change_to_find(const ShowOptions& options) {
  if (options.find.empty()) return report::kUsualChange;
  const auto share = text::parse_share(options.find);
  if (!share || *share <= verdict::kDefaultMargin) {
    throw ConfigError("--find", "'" + options.find +
                                    "' is not a change above the margin of 1 %, within which a "
                                    "verdict is ok: 2% or 0.02");
  }
  return *share;
}

// The path of the traces and the program to open them, from the first run that has traces.
std::string traces_line(const std::vector<std::filesystem::path>& paths) {
  for (const std::filesystem::path& path : paths) {
    const std::string line = traces_text(path);
    if (!line.empty()) return line;
  }
  return {};
}

int show(const ShowOptions& given, const Environment& environment) {
  ShowOptions options = given;
  // Each of these implies the table of operations.
  options.ops = given.ops || given.by_module || given.per_step || !given.group_by.empty() ||
                given.row_limit.has_value();
  check_combination(options);
  if (options.format == "npy" && options.output.empty() && environment.out_is_terminal) {
    throw ConfigError("--format", "npy is binary: give --output FILE");
  }
  std::vector<std::filesystem::path> paths(options.paths.begin(), options.paths.end());
  if (paths.empty()) paths.emplace_back("results");
  for (std::filesystem::path& path : paths) path = choose_run(path, environment.err);
  record::Results results = record::read_results(paths);
  estimate::keep_filtered(results, options.filter);
  const report::TableStyle style{
      .colour = environment.colour && options.output.empty(),
      .columns = environment.terminal_columns,
      .sort = options.sort,
      .select = options.noise ? report::noise_selection(results) : options.columns,
      .baseline = baseline_of(options),
      .pivot = options.pivot,
      .noise = options.noise ? std::optional(change_to_find(options)) : std::nullopt,
      .defaults = options.case_id.empty() || options.all_options
                      ? Fields{}
                      : report::option_defaults(built_in_catalogue())};
  // Tables show warnings among their notes; other formats must stay clean.
  const bool table =
      options.format.empty() || options.format == "table" || options.format == "markdown";
  if (!table || options.samples || !options.case_id.empty()) {
    print_warnings(results, environment.err);
  }
  write_output(options.output, environment, [&](const json::TextSink& sink) {
    if (is_whole_table(options)) {
      report::write_results(results, format_of(options.format), style, sink);
    } else {
      sink(content(options, results, style));
    }
    if ((options.format.empty() || options.format == "table") && !options.samples) {
      sink(traces_line(paths));
    }
  });
  return has_measured(results) ? kExitOk : kExitNothingMeasured;
}

void add_content_options(Command& show, ShowOptions& options) {
  show.option(kCaseOptions, "--case ID", options.case_id,
              "One case whole: its id or the id's first digits")
      .common();
  show.flag(kCaseOptions, "--all-options", options.all_options,
            "With --case: also the options that have their default");
  show.flag(kOutputOptions, "--samples", options.samples,
            "Every step instead of estimates (csv, json, npy)");
  add_filter(show, options.filter);
  show.option(kOutputOptions, "--columns COLUMN[,COLUMN]", options.columns,
              "Only these columns, comma-separated: options, columns by name or head, metrics")
      .comma_separated()
      .common();
  show.option(kOutputOptions, "--sort COLUMN", options.sort,
              "Order rows by an option or column; -COLUMN: largest first")
      .common();
  show.option(kOutputOptions, "--baseline KEY=VALUE[,KEY=VALUE]|ID|RUN", options.baseline,
              "Ratios to this case, or to those of one of several runs")
      .common();
  show.option(kOutputOptions, "--pivot ROWS,COLUMNS", options.pivot,
              "One number as rows by columns of two options; --columns chooses it")
      .comma_separated();
  show.flag(kOutputOptions, "--noise", options.noise,
            "Where the noise comes from, and which launches find a change at the least cost");
  show.flag(kOutputOptions, "--ranks", options.ranks,
            "The ranks of each case that was launched as a group: their steps, and who waits for "
            "whom");
  show.option(kOutputOptions, "--find CHANGE", options.find,
              "With --noise: the change that is to be found; default: 2%");
}

void add_ops(Command& show, ShowOptions& options) {
  show.flag(kOpsOptions, "--ops", options.ops, "What each operation of the profiled launches cost")
      .common();
  show.option(kOpsOptions, "--group-by shape|phase|module", options.group_by,
              "One row for each of these, comma-separated")
      .comma_separated();
  show.option(kOpsOptions, "--row-limit N", options.row_limit,
              "Rows shown; default: 20, in csv and json all; 0: all")
      .whole_number(0, 1'000'000'000);
  show.flag(kOpsOptions, "--by-module", options.by_module,
            "A tree of the model's modules, forward and backward");
  show.option(kOpsOptions, "--depth N", options.depth, "Of --by-module: levels of modules shown")
      .with_default()
      .whole_number(0, 1'000);
  show.flag(kOpsOptions, "--per-step", options.per_step, "Each profiled step apart");
}

}  // namespace

void add_show(Command& command) {
  ShowOptions& options = command.calls(show);
  command.argument("RUN", options.paths,
                   "Run folders or result files (.jsonl, .jsonl.gz); default: the newest run under "
                   "results/",
                   "RUN");
  add_content_options(command, options);
  add_ops(command, options);
  command
      .option(kOutputOptions, "--format", options.format,
              "Output format; npy: raw steps for numpy.load; default: table")
      .one_of({"table", "csv", "json", "markdown", "github", "npy"})
      .common();
  command.option(kOutputOptions, "--output FILE", options.output,
                 "Write to this file instead of the terminal");
}

}  // namespace stepbench::cli
