// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/bisect/programs.h"
#include "harness/campaign/run_folder.h"
#include "harness/os/files.h"
#include "harness/report/result_tables.h"
#include "harness/text/names.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kWhichRuns = "Which runs";

struct WhichRuns {
  std::string folder = "results";
  std::string name = {};
  std::vector<std::string> labels = {};
};

// Returns the option for the folder.
CommandOption& add_which_runs(Command& command, WhichRuns& which) {
  CommandOption& folder =
      command.option(kWhichRuns, "--results DIR", which.folder, "The folder that holds the runs")
          .with_default();
  command
      .option(kWhichRuns, "--name PATTERN", which.name,
              "Only runs whose name or folder matches: \"resnet*\" (quoted, so that the shell "
              "leaves it alone)")
      .common();
  command.option(kWhichRuns, "--label KEY[=VALUE]", which.labels,
                 "Only runs with this label; KEY alone: with any value. Several must all hold");
  return folder;
}

// Options such as the folder belong after the subcommand of `runs`.
void refuse_folder_before(const Command& runs, const std::string& command) {
  for (const CommandOption& option : runs.options) {
    if (!option.is_given || option.name() == "--help" || option.name() == "--color") continue;
    throw ConfigError(
        "stepbench runs",
        formatted("what belongs to `{}` stands behind it: stepbench runs {} --results DIR", command,
                  command));
  }
}

// All runs in the folder, newest first.
std::vector<campaign::RunSummary> runs_of(const WhichRuns& which) {
  std::error_code error;
  if (!std::filesystem::is_directory(which.folder, error)) {
    const bool there = std::filesystem::exists(which.folder, error);
    throw ConfigError(
        which.folder,
        there
            ? "is no folder; give the one that holds the runs"
            : os::why_absent(which.folder, "no such folder" + os::similar_file_hint(which.folder)));
  }
  return campaign::summarise_runs(which.folder);
}

campaign::RunFilter filter_of(const WhichRuns& which) {
  return {.name = which.name, .labels = which.labels};
}

struct RunsOptions {
  WhichRuns which = {};
  std::string folder = {};  // given as an argument
  std::string since = {};
  std::optional<std::size_t> last = {};
  std::string format = "table";
};

std::vector<campaign::RunSummary> all_runs(const WhichRuns& which) {
  std::vector<campaign::RunSummary> runs = runs_of(which);
  if (campaign::holds_results(which.folder))
    runs.insert(runs.begin(), campaign::summarise_run(which.folder));
  return runs;
}

int list_runs(const RunsOptions& options, const Environment& environment) {
  WhichRuns which = options.which;
  if (!options.folder.empty()) which.folder = options.folder;
  const campaign::Moment now = std::chrono::system_clock::now();
  campaign::RunFilter filter = filter_of(which);
  if (!options.since.empty()) filter.since = campaign::parse_since("--since", options.since, now);
  std::vector<campaign::RunSummary> runs = all_runs(which);
  const std::size_t all = runs.size();
  std::erase_if(runs,
                [&](const campaign::RunSummary& run) { return !campaign::passes(run, filter); });
  if (options.last && runs.size() > *options.last) runs.resize(*options.last);
  const report::TableStyle style{.colour = environment.colour,
                                 .columns = environment.terminal_columns};
  print(environment, report::render_runs(runs, all, format_of(options.format), style, now));
  if (runs.empty()) {
    environment.err << "no run in " << text::printable(which.folder)
                    << (all > 0 ? " is like that; without a filter there would be " +
                                      text::counted(static_cast<std::int64_t>(all), "run")
                                : "; `stepbench run configs/quickstart.yaml` makes one")
                    << '\n';
  }
  return kExitOk;
}

struct PruneOptions {
  WhichRuns which = {};
  std::optional<std::size_t> keep = {};
  std::string older_than = {};
  bool dry_run = false;
  bool yes = false;
};

campaign::PruneRequest request_of(const PruneOptions& options, campaign::Moment now) {
  campaign::PruneRequest request{
      .filter = filter_of(options.which), .keep = options.keep, .now = now};
  if (!options.older_than.empty()) {
    request.older_than = text::parse_age(options.older_than);
    if (!request.older_than) {
      throw ConfigError("--older-than", formatted("expected {}, found '{}'", text::kAgeExamples,
                                                  options.older_than));
    }
  }
  const bool chosen = request.keep || request.older_than || !request.filter.name.empty() ||
                      !request.filter.labels.empty();
  if (!chosen) {
    throw ConfigError("runs prune",
                      "says not what to delete: give --older-than AGE, --keep N, --name PATTERN or "
                      "--label KEY=VALUE");
  }
  return request;
}

void print_plan(const campaign::PrunePlan& plan, const Environment& environment,
                campaign::Moment now) {
  const report::TableStyle style{.colour = environment.colour,
                                 .columns = environment.terminal_columns};
  environment.out << report::render_runs(plan.removable, plan.removable.size(),
                                         report::Format::kTable, style, now);
  for (const campaign::RetainedRun& retained : plan.retained) {
    const std::string name = retained.run.folder.filename().string();
    environment.out << text::printable(formatted("kept: {} {}", name, retained.reason)) << '\n';
  }
  environment.out << std::flush;
}

bool may_delete(const PruneOptions& options, const std::string& what,
                const Environment& environment) {
  if (options.yes) return true;
  if (!environment.in_is_terminal || !environment.err_is_terminal) {
    throw ConfigError(
        "runs prune",
        "nothing was deleted, as nobody can be asked here: give --yes to delete " + what);
  }
  environment.err << "Delete " << what << "? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

int remove_all_of(const campaign::PrunePlan& plan, const Environment& environment) {
  std::uintmax_t bytes = 0;
  std::int64_t deleted = 0;
  int status = kExitOk;
  for (const campaign::RunSummary& run : plan.removable) {
    try {
      bisect::remove_left_trees(run.folder);
      campaign::remove_run(run.folder);
      bytes += run.bytes;
      ++deleted;
    } catch (const Error& failure) {
      say(environment, formatted("error: {}", failure.what()));
      status = kExitUsage;
    }
  }
  environment.out << "deleted " << text::counted(deleted, "run") << ", "
                  << text::byte_text(static_cast<double>(bytes)) << '\n';
  return status;
}

int prune(const PruneOptions& options, const Environment& environment) {
  const campaign::Moment now = std::chrono::system_clock::now();
  const campaign::PruneRequest request = request_of(options, now);
  const campaign::PrunePlan plan = campaign::plan_prune(runs_of(options.which), request);
  print_plan(plan, environment, now);
  if (plan.removable.empty()) {
    environment.out << "nothing to delete\n";
    return kExitOk;
  }
  if (options.dry_run) {
    environment.out << "nothing was deleted (--dry-run)\n";
    return kExitOk;
  }
  const std::string what = text::counted(std::ssize(plan.removable), "run");
  if (!may_delete(options, plan.removable.size() == 1 ? "this run" : "these " + what,
                  environment)) {
    environment.out << "nothing was deleted\n";
    return kExitOk;
  }
  campaign::remove_leftovers(options.which.folder);
  return remove_all_of(plan, environment);
}

}  // namespace

void add_runs(Command& runs) {
  RunsOptions& options = runs.calls(list_runs);
  CommandOption& folder = runs.argument("DIR", options.folder,
                                        "The folder that holds the runs; default: results", "DIR");
  add_which_runs(runs, options.which).excludes(folder);
  runs.option(kWhichRuns, "--since DATE|AGE", options.since,
              "Only runs begun then or later: 2026-01-31, \"2026-01-31 12:00\" (UTC), or an "
              "age such as 7d, 36h, 2w")
      .common();
  runs.option(kWhichRuns, "--last N", options.last, "Only the newest N of them")
      .whole_number(1, 1'000'000'000)
      .common();
  add_format(runs, options.format, {"table", "csv", "json", "markdown"});
  // A word that is not a subcommand is taken for the folder.
  runs.on_parsed = [&options] {
    const std::string removal_note = text::removed("runs " + options.folder);
    if (!removal_note.empty()) throw ConfigError("runs " + options.folder, removal_note);
  };
}

void add_runs_prune(Command& command) {
  const auto options = std::make_shared<PruneOptions>();
  add_which_runs(command, options->which);
  command.option(kWhichRuns, "--keep N", options->keep, "Keep the newest N of the selected runs")
      .whole_number(0, 1'000'000'000);
  command.option(kWhichRuns, "--older-than AGE", options->older_than,
                 "Only runs that began longer ago than this: 30d, 36h, 2w, 90min");
  command.flag(kRunOptions, "--dry-run", options->dry_run, "Only list what would be deleted");
  command.flag(kRunOptions, "--yes", options->yes, "Delete without asking");
  command.on_call = [&command, options] {
    refuse_folder_before(*command.parent, "prune");
    return prune(*options, *command.environment);
  };
}

}  // namespace stepbench::cli
