// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/estimate/case_rows.h"
#include "harness/os/output_file.h"
#include "harness/record/reader.h"
#include "harness/report/case_page.h"
#include "harness/report/module_report.h"
#include "harness/report/ops_report.h"
#include "harness/report/samples_export.h"
#include "harness/report/table.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/run_folders.h"

namespace stepbench::cli {
namespace {

struct ShowOptions {
  std::vector<std::string> paths = {};
  std::string case_id = {};
  bool samples = false;
  bool ops = false;
  std::vector<std::string> group_by = {};
  std::size_t row_limit = 20;
  bool per_step = false;
  bool by_module = false;
  std::size_t depth = ModulesView{}.depth;
  std::string format = {};
  std::vector<std::string> columns = {};
  std::string sort = {};
  std::string output = {};
};

constexpr const char* kShowExamples = R"(Examples:
  stepbench show                              the newest run under results/
  stepbench show results/20260131-120000-demo the table of one run
  stepbench show a.jsonl b.jsonl.gz           files joined, as those of a resumed run are
  stepbench show RUN --case 3f9a              one case whole; the id's first digits suffice
  stepbench show RUN --sort samples_per_s     rows by a column or option; -NAME: largest first
  stepbench show RUN --format csv             one line per case, base units (also json, markdown)
  stepbench show RUN --samples > steps.csv    every step; --format json or npy for the others
  stepbench show RUN --format npy --output steps.npy
      numpy.load("steps.npy")["step_ns"]: one record per step; fields: case (row of the table,
      from 0), launch, rank, cycle, then the columns of the samples. All are int64.

  stepbench show RUN --ops                    what each op of the profiled launches cost
  stepbench show RUN --ops --sort self_cuda_time_total --row-limit 10 --group-by shape
  stepbench show RUN --ops --per-step --group-by phase,module --format csv
      columns and sort keys have the names of torch.profiler's; in csv and json times are microseconds
  stepbench show RUN --ops --by-module --depth 3
      what each module of the model cost, forward and backward; they add up to the step

The table: `step` is time / steps of a launch's whole window, and of these the median over launches; the
interval is that of this median (95 %, six launches or more), else the range. No step is left out. Rates are
the work of a step over that time. results/SCHEMA.md describes the files.

Exit status: 0, 2 wrong usage or a file that cannot be read, 4 nothing in the results was measured.)";

const CaseRow& find_case(const std::vector<CaseRow>& rows, const Results& results,
                         const std::string& prefix) {
  std::vector<const CaseRow*> found;
  std::vector<std::string> ids;
  for (const CaseRow& row : rows) {
    ids.push_back(row.case_id);
    if (row.case_id == prefix) return row;
    if (row.case_id.starts_with(prefix)) found.push_back(&row);
  }
  if (found.size() == 1) return *found.front();
  const std::vector<std::string> varying = varying_options(rows, results);
  if (found.empty()) {
    std::vector<std::string> heads;
    for (const std::string& id : ids) heads.push_back(id.substr(0, prefix.size()));
    throw ConfigError("--case", "no case begins with '" + prefix + "'" +
                                    did_you_mean(prefix, heads) +
                                    "; `stepbench show` lists the cases");
  }
  std::string list;
  for (const CaseRow* row : found)
    list += "\n  " + row->case_id + "  " + case_label(row->options, varying, row->case_id);
  throw ConfigError("--case", "'" + prefix + "' is the beginning of " +
                                  std::to_string(found.size()) + " cases:" + list);
}

std::string raw_samples(const ShowOptions& options, const Results& results) {
  std::vector<CaseRow> chosen = case_rows(results);
  if (!options.case_id.empty()) chosen = {find_case(chosen, results, options.case_id)};
  const SampleTable table = sample_table(chosen, options.columns);
  if (options.format.empty() || options.format == "csv") return samples_csv(table);
  if (options.format == "json") return samples_json(table, results.columns);
  if (options.format == "npy") return samples_npy(table);
  throw ConfigError("--format", "raw samples come as csv, json or npy, not as " + options.format);
}

Format format_of(const std::string& name) {
  if (name == "csv") return Format::kCsv;
  if (name == "json") return Format::kJson;
  if (name == "markdown") return Format::kMarkdown;
  return Format::kTable;
}

std::string modules(const ShowOptions& options, const Results& results, const TableStyle& style) {
  if (!options.group_by.empty() || options.per_step || !options.columns.empty()) {
    throw ConfigError("--by-module",
                      "adds up the modules of all steps: leave out --group-by, --per-step and "
                      "--columns");
  }
  const ModulesView view{.case_id = options.case_id, .depth = options.depth, .sort = options.sort};
  return render_modules(results, view, format_of(options.format), style);
}

std::string content(const ShowOptions& options, const Results& results, const TableStyle& style) {
  if (options.ops) {
    if (options.samples || options.format == "npy") {
      throw ConfigError("--ops",
                        "an op table comes as table, csv, json or markdown; leave out "
                        "--samples and npy");
    }
    if (options.by_module) return modules(options, results, style);
    const OpsView view{.case_id = options.case_id,
                       .sort = options.sort,
                       .row_limit = options.row_limit,
                       .group_by = options.group_by,
                       .per_step = options.per_step,
                       .columns = options.columns};
    return render_ops(results, view, format_of(options.format), style);
  }
  for (const auto& [flag, given] : {std::pair("--per-step", options.per_step),
                                    std::pair("--group-by", !options.group_by.empty()),
                                    std::pair("--by-module", options.by_module)}) {
    if (given) throw ConfigError(flag, std::string("needs --ops: stepbench show --ops ") + flag);
  }
  const bool npy = options.format == "npy";
  if (options.samples || npy) return raw_samples(options, results);
  if (options.case_id.empty()) return render(results, format_of(options.format), style);
  const std::vector<CaseRow> rows = case_rows(results);
  const CaseRow& row = find_case(rows, results, options.case_id);
  if (options.format.empty() || options.format == "table") return render_case(row, results, style);
  return render(only_case(results, row), format_of(options.format), style);
}

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file)
    throw ConfigError("--output",
                      "cannot write " + path + ": " + std::generic_category().message(errno));
}

int show(const ShowOptions& options, const Environment& environment) {
  if (options.format == "npy" && options.output.empty() && environment.out_is_terminal) {
    throw ConfigError("--format", "npy is binary: give --output FILE");
  }
  std::vector<std::filesystem::path> paths(options.paths.begin(), options.paths.end());
  if (paths.empty()) paths.emplace_back("results");
  for (std::filesystem::path& path : paths) path = choose_run(path, environment.err);
  check_output_file("--output", options.output, paths);
  const Results results = read_results(paths);
  const bool to_file = !options.output.empty();
  const TableStyle style{.colour = environment.colour && !to_file,
                         .columns = environment.terminal_columns,
                         .sort = options.sort,
                         .select = options.columns};
  const std::string text = content(options, results, style);
  // Beside the table warnings are among its notes; other formats must stay clean.
  const bool table =
      options.format.empty() || options.format == "table" || options.format == "markdown";
  if (!table || options.samples || !options.case_id.empty()) {
    for (const std::string& warning : results.warnings)
      environment.err << "warning: " << printable(warning) << '\n';
  }
  if (to_file) {
    write_file(options.output, text);
  } else {
    environment.out << text << std::flush;
    if (!environment.out) throw ConfigError("standard output", "cannot write");
  }
  const bool measured = std::any_of(
      results.launches.begin(), results.launches.end(),
      [](const Launch& launch) { return launch.row.outcome.kind == Outcome::Kind::kMeasured; });
  return measured ? kExitOk : kExitNothingMeasured;
}

void add_what(CLI::App& show, ShowOptions& options) {
  show.add_option("--case", options.case_id, "One case whole: its id or the id's first digits")
      ->type_name("ID")
      ->group(kCaseOptions);
  show.add_flag("--samples", options.samples, "Every step instead of estimates (csv, json, npy)")
      ->group(kOutputOptions);
  show.add_option("--columns", options.columns,
                  "Only these columns (csv, json, npy), comma-separated")
      ->delimiter(',')
      ->type_name("COLUMN[,COLUMN]")
      ->group(kOutputOptions);
  show.add_option("--sort", options.sort,
                  "Order rows by an option or column; -COLUMN: largest first")
      ->allow_extra_args(false)
      ->type_name("COLUMN")
      ->group(kOutputOptions);
}

void add_ops(CLI::App& show, ShowOptions& options) {
  show.add_flag("--ops", options.ops, "What each operation of the profiled launches cost")
      ->group(kOpsOptions);
  show.add_option("--group-by", options.group_by, "One row for each of these, comma-separated")
      ->delimiter(',')
      ->type_name("shape|phase|module")
      ->group(kOpsOptions);
  CLI::Option* limit = show.add_option("--row-limit", options.row_limit, "Rows shown; 0: all")
                           ->capture_default_str()
                           ->type_name("N")
                           ->group(kOpsOptions);
  expect_whole_number(*limit, 0, 1'000'000'000);
  show.add_flag("--by-module", options.by_module,
                "A tree of the model's modules, forward and backward")
      ->group(kOpsOptions);
  CLI::Option* depth =
      show.add_option("--depth", options.depth, "Of --by-module: levels of modules shown")
          ->capture_default_str()
          ->type_name("N")
          ->group(kOpsOptions);
  expect_whole_number(*depth, 0, 1'000);
  show.add_flag("--per-step", options.per_step, "Each profiled step apart")->group(kOpsOptions);
}

}  // namespace

void add_show(CLI::App& app, const Environment& environment, int& exit_code) {
  auto options = std::make_shared<ShowOptions>();
  CLI::App* command =
      app.add_subcommand("show", "Print results: a table, one case whole, or raw steps");
  command
      ->add_option("RUN", options->paths,
                   "Run folders or result files (.jsonl, .jsonl.gz); default: the newest run under "
                   "results/")
      ->type_name("RUN");
  add_what(*command, *options);
  add_ops(*command, *options);
  CLI::Option* format =
      command
          ->add_option("--format", options->format,
                       "What is printed; npy: raw steps for numpy.load; default: table")
          ->group(kOutputOptions);
  expect_one_of(*format, {"table", "csv", "json", "markdown", "npy"});
  command->add_option("--output", options->output, "Write to this file instead of the terminal")
      ->type_name("FILE")
      ->group(kOutputOptions);
  command->footer(kShowExamples);
  command->callback(
      [options, &environment, &exit_code] { exit_code = show(*options, environment); });
}

}  // namespace stepbench::cli
