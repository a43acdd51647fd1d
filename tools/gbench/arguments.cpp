// SPDX-License-Identifier: Apache-2.0
#include "tools/gbench/arguments.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/text/words.h"
#include "tools/stepbench/help.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/standard_input.h"

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

struct OwnOptions {
  campaign::RunRequest request = {};
  cli::LockFlags lock = {};
};

void add_own_options(CLI::App& app, OwnOptions& own) {
  app.description(kDescription);
  app.footer(kFooter);
  app.set_help_flag("-h,--help", "Print this help")->group(cli::kGeneralOptions);
  const cli::Command command(app);
  cli::add_experiment(command, own.request.file).required();
  cli::add_set(command, own.request.set);
  cli::add_sweep(command, own.request.sweep);
  cli::add_filter(command, own.request.filter);
  cli::add_cases(command, own.request.cases);
  cli::add_max_cases(command, own.request.max_cases);
  command.flag(cli::kMeasureOptions, "--smoke", own.request.smoke,
               "1 warm-up and 2 active steps: does everything work?");
  cli::add_worker(command, own.request.worker);
  cli::add_lock_flags(command, own.lock);
  cli::add_results(command, own.request.results, "Folder in which the run's own folder is made");
  cli::add_labels(command, own.request.labels);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  }
  return names;
}

// Texts of the parser name options without our prefix.
std::string with_prefix(std::string text, const CLI::App& app) {
  for (const std::string& name : option_names(app)) {
    if (name == "help") continue;
    const std::string bare = "--" + name;
    for (std::size_t at = text.find(bare); at != std::string::npos;
         at = text.find(bare, at + bare.size() + kOurs.size())) {
      const std::size_t end = at + bare.size();
      const bool whole = end == text.size() || text.find_first_of(" :,=\n)", end) == end;
      if (whole) text.replace(at, 2, kOurs);
    }
  }
  return text;
}

void require_known(const std::string& argument, const CLI::App& app) {
  const std::string bare = argument.substr(kOurs.size(), argument.find('=') - kOurs.size());
  std::vector<std::string> names = option_names(app);
  if (std::find(names.begin(), names.end(), bare) != names.end()) return;
  for (std::string& name : names) name.insert(0, kOurs);
  throw ConfigError(std::string(kOurs) + bare,
                    "is no option" + text::did_you_mean(std::string(kOurs) + bare, names));
}

bool is_flag(std::string_view argument, std::string_view name) {
  return argument.starts_with(name) &&
         (argument.size() == name.size() || argument[name.size()] == '=');
}

}  // namespace

Arguments parse_arguments(const std::vector<std::string>& given) {
  Arguments arguments;
  OwnOptions own;
  CLI::App app{"", "stepbench-gbench"};
  add_own_options(app, own);
  std::vector<std::string> ours;
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
      require_known(argument, app);
      ours.push_back("--" + argument.substr(kOurs.size()));
    } else if (argument.starts_with("--") && argument != "--help") {
      const std::string bare = argument.substr(2, argument.find('=') - 2);
      const std::vector<std::string> names = option_names(app);
      const bool known = std::find(names.begin(), names.end(), bare) != names.end();
      throw ConfigError(argument,
                        known ? "is written " + std::string(kOurs) + argument.substr(2) + " here"
                              : "is no option of stepbench-gbench; ours begin with --sb-, "
                                "those of Google Benchmark with --benchmark_ (--help lists "
                                "both)");
    } else {
      ours.push_back(argument);
    }
  }
  try {
    std::reverse(ours.begin(), ours.end());
    app.parse(ours);
  } catch (const CLI::CallForHelp&) {
    arguments.help =
        with_prefix(cli::help_text(cli::Command(app), {.all = true, .prefix = "sb-"}), app);
    return arguments;
  } catch (const CLI::ParseError& error) {
    throw ConfigError("command line", error.what());
  }
  arguments.request = std::move(own.request);
  arguments.request.text = cli::text_if_standard_input(arguments.request.file);
  arguments.request.lock = campaign::lock_policy(own.lock.none, own.lock.wait);
  return arguments;
}

std::string in_our_words(std::string text) {
  OwnOptions own;
  CLI::App app{"", "stepbench-gbench"};
  add_own_options(app, own);
  return with_prefix(std::move(text), app);
}

}  // namespace stepbench::gbench
