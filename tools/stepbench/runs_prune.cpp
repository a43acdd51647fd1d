// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/bisect/repository.h"
#include "harness/report/runs_table.h"
#include "harness/runs/prune.h"
#include "harness/text/age.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/commands.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/runs_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kPruneExamples =
    R"(What is to be deleted is listed first. On a terminal the command then asks; elsewhere it deletes
nothing without --yes. Several conditions must all hold. Never deleted: a run that is running, one
that was labelled (`run --label keep=...`), a folder that is not readable as a run, and one in which
lies something that is not of a run.

Examples:
  stepbench runs prune --older-than 30d --dry-run
  stepbench runs prune --keep 50                          all but the 50 newest
  stepbench runs prune --name nightly --older-than 2w --keep 10 --yes

Exit status: 0 deleted, or nothing to delete; 2 wrong usage, nobody could be asked, or a folder
that could not be deleted.)";

struct PruneOptions {
  WhichRuns which = {};
  std::optional<std::size_t> keep = {};
  std::string older_than = {};
  bool dry_run = false;
  bool yes = false;
};

runs::PruneRequest request_of(const PruneOptions& options, runs::Moment now) {
  runs::PruneRequest request{.filter = filter_of(options.which), .keep = options.keep, .now = now};
  if (!options.older_than.empty()) {
    request.older_than = age_option("--older-than", options.older_than);
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

void print_plan(const runs::PrunePlan& plan, const Environment& environment, runs::Moment now) {
  const report::TableStyle style{.colour = environment.colour,
                                 .columns = environment.terminal_columns};
  environment.out << report::render_runs(plan.doomed, plan.doomed.size(), report::Format::kTable,
                                         style, now);
  for (const runs::KeptRun& kept : plan.kept) {
    environment.out << "kept: "
                    << text::printable(kept.run.folder.filename().string() + ' ' + kept.reason)
                    << '\n';
  }
  environment.out << std::flush;
}

bool may_delete(const PruneOptions& options, const std::string& what,
                const Environment& environment) {
  if (options.yes) return true;
  if (!environment.in_is_terminal || !environment.err_is_terminal) {
    throw ConfigError("runs prune",
                      "nothing was deleted, as nobody can be asked here: give --yes "
                      "to delete " +
                          what);
  }
  environment.err << "Delete " << what << "? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// Of a search that was killed: the repository knows of them.
void remove_trees(const std::filesystem::path& run) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(run / "trees", error), end; !error && at != end;
       at.increment(error)) {
    if (!std::filesystem::is_regular_file(at->path() / ".git", error)) continue;
    try {
      return bisect::Repository(at->path()).remove_left();
    } catch (const ConfigError&) {
      continue;  // there is no repository any more
    }
  }
}

int remove_all_of(const runs::PrunePlan& plan, const Environment& environment) {
  std::uintmax_t bytes = 0;
  std::int64_t deleted = 0;
  int status = kExitOk;
  for (const runs::RunSummary& run : plan.doomed) {
    try {
      remove_trees(run.folder);
      runs::remove_run(run.folder);
      bytes += run.bytes;
      ++deleted;
    } catch (const Error& failure) {
      environment.err << "stepbench: error: " << text::printable(failure.what()) << '\n';
      status = kExitUsage;
    }
  }
  environment.out << "deleted " << text::counted(deleted, "run") << ", "
                  << text::byte_text(static_cast<double>(bytes)) << '\n';
  return status;
}

int prune(const PruneOptions& options, const Environment& environment) {
  const runs::Moment now = current_time();
  const runs::PruneRequest request = request_of(options, now);
  const runs::PrunePlan plan = runs::plan_prune(runs_of(options.which), request);
  print_plan(plan, environment, now);
  if (plan.doomed.empty()) {
    environment.out << "nothing to delete\n";
    return kExitOk;
  }
  if (options.dry_run) {
    environment.out << "nothing was deleted (--dry-run)\n";
    return kExitOk;
  }
  const std::string what = text::counted(std::ssize(plan.doomed), "run");
  if (!may_delete(options, plan.doomed.size() == 1 ? "this run" : "these " + what, environment)) {
    environment.out << "nothing was deleted\n";
    return kExitOk;
  }
  runs::remove_leftovers(options.which.folder);
  return remove_all_of(plan, environment);
}

}  // namespace

void add_runs_prune(Command runs) {
  const auto options = std::make_shared<PruneOptions>();
  const Command command =
      runs.add("prune", "Delete old runs, after a look at the list", kPruneExamples);
  add_which_runs(command, options->which);
  command
      .option(kWhichRuns, "--keep N", options->keep, "Leave the newest N of those that are meant")
      .whole_number(0, 1'000'000'000);
  add_older_than(command, options->older_than);
  command.flag(kRunOptions, "--dry-run", options->dry_run, "Only list what would be deleted");
  command.flag(kRunOptions, "--yes", options->yes, "Delete without asking");
  command.on_call([runs, options, &environment = runs.environment()] {
    refuse_folder_before(runs, "prune");
    return prune(*options, environment);
  });
}

}  // namespace stepbench::cli
