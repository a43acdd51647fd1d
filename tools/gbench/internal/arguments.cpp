// SPDX-License-Identifier: Apache-2.0
#include "tools/gbench/internal/arguments.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/text/words.h"
#include "tools/stepbench/help.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/parse.h"
#include "tools/stepbench/session.h"

namespace stepbench::gbench {
namespace {

constexpr std::string_view kOurs = "--sb-";
constexpr std::string_view kTheirs = "--benchmark_";

constexpr const char* kDescription =
    "The cases of an experiment as Google Benchmarks: one benchmark a case, one repetition a "
    "launch in "
    "a fresh worker process.";

constexpr const char* kFooter =
    R"(Options of Google Benchmark, as they are (--benchmark_min_time has no meaning here):
  --benchmark_list_tests            the names, measuring nothing
  --benchmark_filter=REGEX          only these benchmarks; -REGEX: all others
  --benchmark_repetitions=N         launches per case; default: `launches` of the file
  --benchmark_enable_random_interleaving=true
  --benchmark_report_aggregates_only=true
  --benchmark_format=console|json|csv
  --benchmark_out=FILE --benchmark_out_format=json|console|csv
  --benchmark_counters_tabular=true, --benchmark_color=auto
  --benchmark_time_unit=ns|us|ms|s  on the screen and in CSV; JSON has ns, as exports do

Real time is the launch's time per step; CPU time is that of this program and says nothing. The rows
stand in a folder of results as well, as `stepbench run` writes them.

Examples:
  stepbench-gbench configs/quickstart.yaml
  stepbench-gbench sweep.yaml --benchmark_filter=num_workers:4 --benchmark_repetitions=8
  stepbench-gbench sweep.yaml --benchmark_out=new.json && compare.py benchmarks base.json new.json

Exit status: 0 all measured or skipped by rule, 1 some failed, 2 wrong usage or configuration, 4 nothing
measured or no benchmark has such a name, 129, 130 or 143 interrupted (finished rows are kept).)";

// The options of `stepbench run` that apply here, without the --sb- prefix.
class OwnLine {
 public:
  explicit OwnLine(campaign::RunRequest& own) {
    cli::Command& command = line_;
    command.footer = kFooter;
    cli::add_experiment(command, own.file).required();
    cli::add_which_cases(command, own);
    command.flag(cli::kMeasureOptions, "--smoke", own.smoke,
                 "1 warm-up and 2 active steps: does everything work?");
    cli::add_worker(command, own.worker);
    cli::add_lock_flags(command, own.lock);
    cli::add_results(command, own.results, "Folder in which the run's own folder is made");
    cli::add_labels(command, own.labels);
    command.add_switch(cli::kGeneralOptions, "--help,-h", "Print this help");
  }

  [[nodiscard]] cli::Command& line() { return line_; }
  [[nodiscard]] bool knows(const std::string& name) const {
    const std::vector<std::string> known = names();
    return std::ranges::find(known, name) != known.end();
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const cli::CommandOption& option : line_.options) {
      if (!option.is_argument()) names.push_back(option.name());
    }
    return names;
  }

  // Adds the --sb- prefix to options in messages of the stepbench library.
  [[nodiscard]] std::string with_prefix(std::string text) const {
    for (const std::string& name : names()) {
      if (name == "--help") continue;
      for (std::size_t at = text.find(name); at != std::string::npos;
           at = text.find(name, at + name.size() + kOurs.size())) {
        const std::size_t end = at + name.size();
        const bool whole = end == text.size() || text.find_first_of(" :,=\n)", end) == end;
        if (whole) text.replace(at, 2, kOurs);
      }
    }
    return text;
  }

 private:
  cli::Command line_{.name = "stepbench-gbench", .doc = kDescription};
};

void require_known(const std::string& argument, const OwnLine& own) {
  const std::string given = argument.substr(0, argument.find('='));
  if (own.knows("--" + given.substr(kOurs.size()))) return;
  std::vector<std::string> names = own.names();
  for (std::string& name : names) name.replace(0, 2, kOurs);
  throw ConfigError(given, "unknown option" + text::did_you_mean(given, names));
}

bool is_flag(std::string_view argument, std::string_view name) {
  return argument.starts_with(name) &&
         (argument.size() == name.size() || argument[name.size()] == '=');
}

}  // namespace

Arguments parse_arguments(const std::vector<std::string>& given) {
  Arguments arguments;
  campaign::RunRequest own;
  OwnLine line(own);
  std::vector<std::string> ours = {"stepbench-gbench"};
  for (const std::string& argument : given) {
    if (is_flag(argument, "--benchmark_min_time")) {
      throw ConfigError("--benchmark_min_time",
                        "has no meaning here: a launch lasts as long as its schedule says; use "
                        "--sb-set schedule.active=N");
    }
    if (argument.starts_with(kTheirs) || is_flag(argument, "--v")) {
      arguments.benchmark.push_back(argument);
      arguments.lists = arguments.lists || (is_flag(argument, "--benchmark_list_tests") &&
                                            !argument.ends_with("=false"));
      arguments.in_unit = arguments.in_unit || is_flag(argument, "--benchmark_time_unit");
      arguments.repeats = arguments.repeats || is_flag(argument, "--benchmark_repetitions");
      if (is_flag(argument, "--benchmark_out")) arguments.writes = !argument.ends_with('=');
      if (is_flag(argument, "--benchmark_out_format")) {
        arguments.format = argument.substr(argument.find('=') + 1);
      }
    } else if (argument.starts_with(kOurs)) {
      require_known(argument, line);
      ours.push_back("--" + argument.substr(kOurs.size()));
    } else if (argument.starts_with("--") && argument != "--help") {
      throw ConfigError(argument,
                        line.knows(argument.substr(0, argument.find('=')))
                            ? "is written " + std::string(kOurs) + argument.substr(2) + " here"
                            : "unknown option of stepbench-gbench; ours begin with --sb-, "
                              "those of Google Benchmark with --benchmark_ (--help lists "
                              "both)");
    } else {
      ours.push_back(argument);
    }
  }
  try {
    if (cli::parse_words(line.line(), ours) == cli::Asked::kHelp) {
      arguments.help =
          line.with_prefix(cli::help_text(line.line(), {.all = true, .prefix = "sb-"}));
      return arguments;
    }
  } catch (const cli::UsageError& error) {
    throw ConfigError("command line", error.what());
  }
  arguments.request = std::move(own);
  arguments.request.text = cli::text_if_standard_input(arguments.request.file);
  return arguments;
}

std::string with_option_prefixes(std::string text) {
  campaign::RunRequest own;
  return OwnLine(own).with_prefix(std::move(text));
}

}  // namespace stepbench::gbench
