// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <system_error>

#include "harness/plan/plan.h"
#include "harness/run/interpreter.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::cli {
namespace {

// `accepts` decides; a refusal says "expected WHAT, found 'VALUE'".
void expect(CLI::Option& option, const std::string& what,
            const std::function<bool(const std::string&)>& accepts) {
  option.check(CLI::Validator(
      [what, accepts](const std::string& value) {
        return accepts(value) ? std::string() : "expected " + what + ", found '" + value + "'";
      },
      ""));
}

template <typename Number>
bool is_between(const std::string& text, Number min, Number max) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  return error == std::errc{} && rest == end && value >= min && value <= max;
}

}  // namespace

void expect_one_of(CLI::Option& option, const std::vector<std::string>& names) {
  option.type_name(text::join(names, "|"));
  option.check(CLI::Validator(
      [names](const std::string& value) {
        if (std::find(names.begin(), names.end(), value) != names.end()) return std::string();
        return "expected one of " + text::join(names) + ", found '" + value + "'" +
               text::did_you_mean(value, names);
      },
      ""));
}

void expect_whole_number(CLI::Option& option, std::int64_t min, std::int64_t max) {
  expect(option,
         "a whole number from " + text::with_separators(min) + " to " + text::with_separators(max),
         [min, max](const std::string& text) { return is_between(text, min, max); });
}

void expect_number(CLI::Option& option, double min, double max, const std::string& unit) {
  expect(option, unit + " from " + text::short_number(min) + " to " + text::short_number(max),
         [min, max](const std::string& text) { return is_between(text, min, max); });
}

void expect_folder(CLI::Option& option) {
  expect(option, "a folder", [](const std::string& path) {
    std::error_code ignored;
    return std::filesystem::is_directory(path, ignored);
  });
}

CLI::Option& add_repeated(CLI::App& command, const std::string& flag,
                          std::vector<std::string>& values, const std::string& doc,
                          const std::string& value_name) {
  return *command.add_option(flag, values, doc)->type_name(value_name)->allow_extra_args(false);
}

CLI::Option& add_experiment(CLI::App& command, std::string& file) {
  return *command.add_option("FILE", file, "The experiment, a YAML file; - is standard input")
              ->required()
              ->type_name("EXPERIMENT");
}

void add_set(CLI::App& command, std::vector<std::string>& set, const std::string& doc) {
  add_repeated(command, "--set", set, doc, "KEY=VALUE").group(kCaseOptions);
}

void add_sweep(CLI::App& command, std::vector<std::string>& sweep) {
  add_repeated(command, "--sweep", sweep,
               "Measure each of these values; several --sweep make a matrix. Replaces what the "
               "file sweeps of this option",
               "KEY=V1,V2,...")
      .group(kCaseOptions);
}

void add_filter(CLI::App& command, std::vector<std::string>& filter) {
  add_repeated(command, "--filter", filter,
               "Only cases with this value, or one of these; several filters must all hold",
               "KEY=VALUE[,VALUE]")
      .group(kCaseOptions);
}

void add_cases(CLI::App& command, std::vector<std::string>& ids) {
  add_repeated(command, "--case", ids, "Only the case whose id begins like this; may be repeated",
               "ID")
      .group(kCaseOptions);
}

void add_shard(CLI::App& command, std::string& shard) {
  command
      .add_option("--shard", shard,
                  "Only the I-th of N equal parts of the plan: 2/4 on the second of four machines")
      ->type_name("I/N")
      ->group(kCaseOptions);
}

void add_max_cases(CLI::App& command, std::int64_t& max_cases) {
  CLI::Option* option =
      command.add_option("--max-cases", max_cases, "Refuse a sweep with more cases")
          ->capture_default_str()
          ->type_name("N")
          ->group(kCaseOptions);
  expect_whole_number(*option, 1, plan::kMostCases);
}

void add_launches(CLI::App& command, std::int64_t& launches) {
  CLI::Option* option = command
                            .add_option("--launches", launches,
                                        "Fresh processes per case; default: `launches` of the file")
                            ->type_name("N")
                            ->group(kMeasureOptions);
  expect_whole_number(*option, 1, 1'000'000);
}

void add_worker(CLI::App& command, std::string& path) {
  command
      .add_option("--worker", path,
                  "The program that runs the steps; default: stepbench-worker beside this program")
      ->type_name("PATH")
      ->group(kMeasureOptions);
}

void add_interpreter(CLI::App& command, std::vector<std::string>& set) {
  command
      .add_option_function<std::string>(
          "--interpreter",
          [&set](const std::string& path) {
            const bool here = path.find('/') != std::string::npos;
            set.push_back(
                "env." + std::string(run::kInterpreterVariable) + "=" +
                (here ? std::filesystem::absolute(path).lexically_normal().string() : path));
          },
          "The Python that runs your Python files; default: the active environment's, else python3")
      ->type_name("PATH")
      ->group(kMeasureOptions);
}

void add_lock_flags(CLI::App& command, LockFlags& flags) {
  CLI::Option* wait =
      command
          .add_flag("--wait-lock", flags.wait,
                    "Wait while another run measures on the same device; default: refuse")
          ->group(kMeasureOptions);
  command
      .add_flag("--no-lock", flags.none,
                "Measure even if another run does on the same device; both will be disturbed")
      ->excludes(wait)
      ->group(kMeasureOptions);
}

void add_metric(CLI::App& command, std::vector<std::string>& metrics) {
  add_repeated(command, "--metric", metrics,
               "What is tested and decides, instead of step and peak_bytes: step_p99, "
               "samples_per_s, a phase such as forward, or any that `list metrics` names; each "
               "further one takes more launches to prove",
               "METRIC[,METRIC]")
      .delimiter(',')
      ->group(kVerdictOptions);
}

void add_margin(CLI::App& command, std::vector<std::string>& margins) {
  add_repeated(command, "--margin", margins,
               "The change that does not matter, as step=2%; default: 1% of each metric, and of "
               "peak_bytes 0 where every launch has the same peak",
               "METRIC=SHARE")
      .group(kVerdictOptions);
}

void add_gate(CLI::App& command, std::optional<bool>& counts) {
  CLI::Option* gate =
      command
          .add_option_function<std::string>(
              "--gate", [&counts](const std::string& what) { counts = what == "counts"; },
              "What decides, in place of compare.gate of the experiment file. times: the tested "
              "metrics; counts: what launches counted per step; --margin counts=SHARE is their "
              "margin, by default 0, and 0.1% of instructions")
          ->group(kVerdictOptions);
  expect_one_of(*gate, {"times", "counts"});
}

void add_verdict_flags(CLI::App& command, bool& bootstrap, bool& allow_inconclusive) {
  command
      .add_flag("--bootstrap", bootstrap,
                "Also a bootstrap interval of the ratio of medians, in the JSON form")
      ->group(kVerdictOptions);
  command
      .add_flag("--allow-inconclusive", allow_inconclusive,
                "Exit 0, not 3, when nothing can be said or only suspected")
      ->group(kVerdictOptions);
}

void add_results(CLI::App& command, std::string& folder, const std::string& doc) {
  command.add_option("--results", folder, doc)
      ->capture_default_str()
      ->type_name("DIR")
      ->group(kRunOptions);
}

CLI::Option& add_resume(CLI::App& command, std::string& folder) {
  return *command
              .add_option("--resume", folder,
                          "Go on in the folder of a run that was cut off; what was measured is not "
                          "repeated")
              ->type_name("RUN")
              ->group(kRunOptions);
}

void add_labels(CLI::App& command, std::vector<std::string>& labels) {
  add_repeated(command, "--label", labels,
               "Record this with the run, to find it again; may be repeated", "NAME=VALUE")
      .group(kRunOptions);
}

void add_quiet(CLI::App& command, bool& quiet) {
  command.add_flag("--quiet,--no-progress", quiet, "No progress on standard error")
      ->group(kOutputOptions);
}

CLI::Option& add_format(CLI::App& command, std::string& format,
                        const std::vector<std::string>& formats) {
  CLI::Option* option = command.add_option("--format", format, "What is printed")
                            ->capture_default_str()
                            ->group(kOutputOptions);
  expect_one_of(*option, formats);
  return *option;
}

report::Format format_of(const std::string& name) {
  if (name == "csv") return report::Format::kCsv;
  if (name == "json") return report::Format::kJson;
  if (name == "markdown") return report::Format::kMarkdown;
  return report::Format::kTable;
}

}  // namespace stepbench::cli
