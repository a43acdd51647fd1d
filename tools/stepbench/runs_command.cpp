// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>
#include <ostream>
#include <string>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/report/runs_table.h"
#include "harness/text/printable.h"
#include "harness/text/removed.h"
#include "harness/text/words.h"
#include "tools/stepbench/commands.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/runs_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kRunsExamples =
    R"(A run's folder is what `show` and `compare` take. A case is ok when it was measured and none of its
launches failed. `unfinished`: killed before its end; `run --resume` goes on with it.

Examples:
  stepbench runs                              the runs in results/, the newest first
  stepbench runs --name "resnet*" --last 10
  stepbench runs --label branch=main --since 7d
  stepbench runs --format csv > runs.csv      bytes, full commit, host: for a spreadsheet
  stepbench runs prune --older-than 30d       delete; asks first

Exit status: 0 also where there is no run, 2 wrong usage or a folder that cannot be read.)";

struct RunsOptions {
  WhichRuns which = {};
  std::string folder = {};  // as an argument
  std::string since = {};
  std::optional<std::size_t> last = {};
  std::string format = "table";
};

std::vector<runs::RunSummary> all_runs(const WhichRuns& which) {
  std::vector<runs::RunSummary> runs = runs_of(which);
  if (runs::holds_results(which.folder))
    runs.insert(runs.begin(), runs::summarise_run(which.folder));
  return runs;
}

int list_runs(const RunsOptions& options, const Environment& environment) {
  WhichRuns which = options.which;
  if (!options.folder.empty()) which.folder = options.folder;
  const runs::Moment now = current_time();
  runs::RunFilter filter = filter_of(which);
  if (!options.since.empty()) filter.since = runs::parse_since("--since", options.since, now);
  std::vector<runs::RunSummary> runs = all_runs(which);
  const std::size_t all = runs.size();
  std::erase_if(runs, [&](const runs::RunSummary& run) { return !runs::passes(run, filter); });
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

}  // namespace

void add_runs(Command app) {
  const Command runs =
      app.add("runs", "List the runs in a folder, or delete old ones", kRunsExamples);
  RunsOptions& options = runs.calls(list_runs);
  runs.needs_command(true);
  const CommandOption folder = runs.argument(
      "DIR", options.folder, "The folder that holds the runs; default: results", "DIR");
  add_which_runs(runs, options.which).excludes(folder);
  runs.option(kWhichRuns, "--since DATE|AGE", options.since,
              "Only runs begun then or later: 2026-01-31, \"2026-01-31 12:00\" (UTC), or an "
              "age such as 7d, 36h, 2w")
      .common();
  runs.option(kWhichRuns, "--last N", options.last, "Only the newest N of them")
      .whole_number(1, 1'000'000'000)
      .common();
  add_format(runs, options.format, {"table", "csv", "json", "markdown"});
  add_runs_prune(runs);
  // A word that is no command is taken for the folder.
  runs.on_parsed([&options] {
    const std::string gone = text::removed("runs " + options.folder);
    if (!gone.empty()) throw ConfigError("runs " + options.folder, gone);
  });
}

}  // namespace stepbench::cli
