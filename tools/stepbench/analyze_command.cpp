// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "harness/analyze/rules.h"
#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/os/output_file.h"
#include "harness/report/analysis_report.h"
#include "harness/text/words.h"
#include "harness/trace/read_trace.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/usage.h"

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
  stepbench analyze trace.json --format json | jq .findings
  stepbench analyze trace.json --fail-on problem      exit status 1 when a problem was found

Exit status: 0 analysed, 1 with --fail-on: found, 2 wrong usage or a file that is no whole trace, 4 the trace
is damaged so that its numbers would lie (--strict: any warning about it).)";

struct AnalyzeOptions {
  std::vector<std::string> paths = {};
  std::string case_id = {};
  std::optional<int> device = {};
  std::string steps = {};
  bool from_loading = false;
  std::vector<std::string> thresholds = {};
  std::size_t row_limit = 10;
  std::string format = "page";
  std::string output = {};
  bool strict = false;
  std::string fail_on = {};
};

std::optional<std::int64_t> whole(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<std::pair<std::int64_t, std::int64_t>> steps_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  const std::size_t dash = text.find('-');
  const auto first = whole(std::string_view(text).substr(0, dash));
  const auto last =
      dash == std::string::npos ? first : whole(std::string_view(text).substr(dash + 1));
  if (!first || !last || *last < *first) {
    throw ConfigError(
        "--steps",
        "expected the number of a ProfilerStep or a range such as 5-8, not '" + text + "'");
  }
  return std::pair(*first, *last);
}

double threshold_in(std::string text, const TraceRule& rule) {
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0)) {
    throw ConfigError("--threshold", std::string(rule.id) + ": expected a positive number" +
                                         (rule.unit == "ratio" ? " such as 5% or 0.05" : "") +
                                         ", in " + std::string(rule.unit));
  }
  return percent && rule.unit == "ratio" ? value / 100 : value;
}

std::map<std::string, double, std::less<>> thresholds_of(const std::vector<std::string>& texts) {
  std::map<std::string, double, std::less<>> all;
  std::vector<std::string> known;
  for (const TraceRule& rule : trace_rules()) known.emplace_back(rule.id);
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    std::string id = text.substr(0, equals);
    if (!id.starts_with("trace.")) id = "trace." + id;
    const auto rule = std::find_if(trace_rules().begin(), trace_rules().end(),
                                   [&](const TraceRule& each) { return each.id == id; });
    if (rule == trace_rules().end()) {
      throw ConfigError("--threshold", "there is no rule '" + id + "'" + did_you_mean(id, known) +
                                           "; rules: " + join(known));
    }
    if (equals == std::string::npos) {
      throw ConfigError("--threshold", "expected " + id + "=VALUE, such as " + id + "=5%");
    }
    all[id] = threshold_in(text.substr(equals + 1), *rule);
  }
  return all;
}

bool is_trace_name(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name.ends_with(".json.gz") || name.ends_with(".sqlite");
}

// Of a folder: its traces, or those of the run that it is.
std::vector<std::filesystem::path> traces_in(const std::filesystem::path& folder,
                                             const std::string& case_id) {
  const std::filesystem::path of_run = folder / "traces";
  const bool is_run = std::filesystem::is_directory(of_run);
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(is_run ? of_run : folder)) {
    if (!entry.is_regular_file() || !is_trace_name(entry.path())) continue;
    if (!case_id.empty() && !entry.path().filename().string().starts_with(case_id)) continue;
    found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  if (!found.empty()) return found;
  const bool has_results =
      std::any_of(std::filesystem::directory_iterator(folder),
                  std::filesystem::directory_iterator(), [](const auto& entry) {
                    return entry.path().filename().string().find(".jsonl") != std::string::npos;
                  });
  if (!case_id.empty() && is_run) {
    throw ConfigError("--case",
                      "no trace in " + of_run.string() + " begins with '" + case_id + "'");
  }
  throw ConfigError(folder.string(),
                    has_results ? "this run has no traces; `stepbench run FILE --profile --set "
                                  "profile.trace=true` writes them"
                                : "there is no trace (*.json, *.json.gz, *.sqlite) in this folder");
}

std::vector<std::filesystem::path> all_traces(const AnalyzeOptions& options) {
  std::vector<std::filesystem::path> traces;
  for (const std::string& text : options.paths) {
    const std::filesystem::path path = text;
    if (!std::filesystem::exists(path)) throw ConfigError(text, "no such file or folder");
    if (!std::filesystem::is_directory(path)) {
      traces.push_back(path);
      continue;
    }
    const auto found = traces_in(path, options.case_id);
    traces.insert(traces.end(), found.begin(), found.end());
  }
  return traces;
}

bool fails(const AnalyzeOptions& options, const std::vector<Finding>& findings) {
  if (options.fail_on.empty()) return false;
  const Severity from = severity_named(options.fail_on).value_or(Severity::kProblem);
  return std::any_of(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.undecided.empty() && finding.severity >= from;
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

void check_device(const AnalyzeOptions& options, const Analysis& analysis,
                  const std::filesystem::path& path) {
  if (!options.device || analysis.idle_of(options.device) != nullptr) return;
  throw ConfigError(
      "--device", "device " + std::to_string(*options.device) + " ran no work in " + path.string() +
                      "; it has: " +
                      (analysis.devices.empty() ? std::string("none")
                                                : join(analysis.devices, ", ", [](int device) {
                                                    return std::to_string(device);
                                                  })));
}

// Of several traces: a broken one is told and passed over.
std::optional<Trace> read_or_report(const std::filesystem::path& path,
                                    const Environment& environment) {
  try {
    return read_trace(path);
  } catch (const ConfigError& error) {
    print_error(environment.err, error.what(), environment.err_colour);
    return std::nullopt;
  }
}

int analyze(const AnalyzeOptions& options, const Environment& environment) {
  const std::vector<std::filesystem::path> traces = all_traces(options);
  check_output_file("--output", options.output, traces);
  const AnalysisOptions how{
      .steps = {.from_loading = options.from_loading, .numbers = steps_of(options.steps)}};
  const RuleOptions rules{.device = options.device,
                          .thresholds = thresholds_of(options.thresholds)};
  const bool to_file = !options.output.empty();
  const AnalysisStyle style{.colour = environment.colour && !to_file,
                            .columns = environment.terminal_columns,
                            .row_limit = options.row_limit};
  std::string text;
  int status = kExitOk;
  bool any_unreadable = false;
  for (const std::filesystem::path& path : traces) {
    const std::optional<Trace> whole_trace =
        traces.size() == 1 ? read_trace(path) : read_or_report(path, environment);
    if (!whole_trace) {
      any_unreadable = true;
      continue;
    }
    const Trace& trace = *whole_trace;
    AnalysedTrace analysed{.trace = &trace,
                           .path = path.string(),
                           .analysis = analyse(trace, how),
                           .device = options.device};
    check_device(options, analysed.analysis, path);
    if (how.steps.numbers && analysed.analysis.steps.counted().empty()) {
      throw ConfigError("--steps", "there is no such step in " + path.string());
    }
    analysed.findings = find_causes(trace, analysed.analysis, rules);
    const int own = status_of(options, analysed);
    status = std::max(status, own);
    if (options.format == "json") {
      text += analysis_json(analysed, own);
    } else {
      if (!text.empty()) text += '\n';
      text += options.format == "markdown" ? analysis_markdown(analysed, style)
                                           : analysis_text(analysed, style);
    }
  }
  if (any_unreadable) status = kExitUsage;
  if (!to_file) {
    environment.out << text << std::flush;
    if (!environment.out) throw ConfigError("standard output", "cannot write");
    return status;
  }
  std::ofstream file(options.output, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw ConfigError("--output", "cannot write " + options.output);
  return status;
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
  command->add_option("--case", options->case_id, "Of a run: only the traces of this case")
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
