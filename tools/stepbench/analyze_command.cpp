// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/os/output_file.h"
#include "harness/report/analysis_report.h"
#include "tools/stepbench/analyze_diff.h"
#include "tools/stepbench/analyze_input.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kAnalyzeExamples =
    R"(Reads traces of torch.profiler (Python, any version; plain or gzip), those that stepbench writes with
profile.trace, and the SQLite export of an Nsight Systems report. Where a step's time went is told as
parts that sum to the step exactly: what the device did, and for the time in which it did nothing, what
the host was doing. The first and the last recorded step are left out of the numbers.

Examples:
  stepbench analyze my_job.1700000000.pt.trace.json.gz
  stepbench analyze results/RUN                       the traces of a run with profile.trace
  stepbench analyze log/                              all traces of a folder
  nsys export --type sqlite report.nsys-rep && stepbench analyze report.sqlite
  stepbench analyze trace.json --steps 5-8            these steps only
  stepbench analyze trace.json --threshold trace.sync_bound=5%
  stepbench analyze new.json --diff base.json         what appeared, vanished and grew, per step
  stepbench analyze trace.json --format json | jq .findings
  stepbench analyze trace.json --fail-on problem      exit status 1 when a problem was found

Exit status: 0 analysed, 1 with --fail-on: found (--diff: found anew or grown), 2 wrong usage or a file that is
no whole trace, 4 the trace is damaged so that its numbers would lie, or --diff cannot compare (--strict: any
warning).)";

bool fails(const AnalyzeOptions& options, const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.undecided.empty() && fails_on(options, finding.severity);
  });
}

bool cannot_be_trusted(const AnalyzeOptions& options, const Analysis& analysis) {
  return analysis.blocked() ||
         (options.strict && std::any_of(analysis.integrity.begin(), analysis.integrity.end(),
                                        [](const IntegrityNote& note) {
                                          return note.level != IntegrityLevel::kNote;
                                        }));
}

int status_of(const AnalyzeOptions& options, const AnalysedTrace& analysed) {
  if (cannot_be_trusted(options, analysed.analysis)) return kExitNothingMeasured;
  return fails(options, analysed.findings) ? kExitSomeFailed : kExitOk;
}

// Page after page, and the exit status.
AnalyzeOutput pages(const AnalyzeOptions& options, const AnalysisStyle& style,
                    const std::vector<std::filesystem::path>& traces,
                    const Environment& environment) {
  const AnalyzeRequest request(options);
  AnalyzeOutput out;
  bool any_unreadable = false;
  for (const std::filesystem::path& path : traces) {
    const std::optional<Trace> trace = read_one(path, traces.size() > 1, environment);
    if (!trace) {
      any_unreadable = true;
      continue;
    }
    const AnalysedTrace analysed = analyse_one(*trace, path, request);
    const int own = status_of(options, analysed);
    out.status = std::max(out.status, own);
    if (options.format == "json") {
      out.text += analysis_json(analysed, own);
      continue;
    }
    if (!out.text.empty()) out.text += '\n';
    out.text += options.format == "markdown" ? analysis_markdown(analysed, style)
                                             : analysis_text(analysed, style);
  }
  if (any_unreadable) out.status = kExitUsage;
  return out;
}

int analyze(const AnalyzeOptions& options, const Environment& environment) {
  std::vector<std::filesystem::path> traces = traces_of(options.paths, options.case_id);
  const bool to_file = !options.output.empty();
  const AnalysisStyle style{.colour = environment.colour && !to_file,
                            .columns = environment.terminal_columns,
                            .row_limit = options.row_limit};
  std::vector<std::filesystem::path> bases;
  if (!options.base.empty()) bases = traces_of({options.base}, options.case_id);
  std::vector<std::filesystem::path> inputs = traces;
  inputs.insert(inputs.end(), bases.begin(), bases.end());
  check_output_file("--output", options.output, inputs);
  const AnalyzeOutput made = bases.empty() ? pages(options, style, traces, environment)
                                           : diff_pages(options, style, bases, traces, environment);
  if (!to_file) {
    environment.out << made.text << std::flush;
    if (!environment.out) throw ConfigError("standard output", "cannot write");
    return made.status;
  }
  std::ofstream file(options.output, std::ios::binary | std::ios::trunc);
  file << made.text;
  file.close();
  if (!file) throw ConfigError("--output", "cannot write " + options.output);
  return made.status;
}

}  // namespace

void add_analyze(CLI::App& app, const Environment& environment, int& exit_code) {
  auto options = std::make_shared<AnalyzeOptions>();
  CLI::App* command = app.add_subcommand(
      "analyze", "Why is this step slow? Reads traces: where the time goes, and what to do");
  command->footer(kAnalyzeExamples);
  command->add_option("TRACE", options->paths, "Trace files, folders of them, or runs with traces")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--diff", options->base,
                   "What changed against BASE: a trace, a folder or a run, paired by case or name")
      ->type_name("PATH")
      ->group(kCaseOptions);
  command->add_option("--case", options->case_id, "Of runs: only the traces of this case")
      ->type_name("ID")
      ->group(kCaseOptions);
  command->add_option("--device", options->device, "The device whose time is broken down")
      ->type_name("N")
      ->group(kCaseOptions);
  command->add_option("--steps", options->steps, "Only these steps, by the numbers of ProfilerStep")
      ->type_name("N|FIRST-LAST")
      ->group(kCaseOptions);
  command
      ->add_flag("--steps-from-loading", options->from_loading,
                 "In a trace without steps, take the fetches of data as borders")
      ->group(kCaseOptions);
  add_repeated(*command, "--threshold", options->thresholds,
               "Report a finding from this value on; may be repeated", "RULE=VALUE")
      .group(kVerdictOptions);
  CLI::Option* fail_on =
      command->add_option("--fail-on", options->fail_on, "Exit with 1 from this severity on")
          ->group(kVerdictOptions);
  expect_one_of(*fail_on, {"problem", "warning"});
  command->add_flag("--strict", options->strict, "Exit with 4 also for warnings about the trace")
      ->group(kVerdictOptions);
  CLI::Option* limit =
      command->add_option("--row-limit", options->row_limit, "Rows of each table; 0: all")
          ->capture_default_str()
          ->type_name("N")
          ->group(kOutputOptions);
  expect_whole_number(*limit, 0, 1'000'000'000);
  add_format(*command, options->format, {"page", "markdown", "json"});
  command->add_option("--output", options->output, "Write to this file instead of the terminal")
      ->type_name("FILE")
      ->group(kOutputOptions);
  command->callback(
      [options, &environment, &exit_code] { exit_code = analyze(*options, environment); });
}

}  // namespace stepbench::cli
