// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/bisect_output.h"

#include <ostream>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/bisect/bisect_plan.h"
#include "harness/bisect/search_file.h"
#include "harness/document/render.h"
#include "harness/report/bisect_document.h"
#include "harness/text/printable.h"
#include "tools/stepbench/campaign_context.h"

namespace stepbench::cli {

void add_building(Command& command, bisect::BisectRequest& request) {
  command.option(kMeasureOptions, "--build COMMAND", request.build,
                 "Builds a commit: run by sh in its tree, with {commit} and {worktree} filled in");
  command.option(kMeasureOptions, "--worker PATH", request.worker,
                 "Where the command leaves the worker program, or the folder that holds it and its "
                 "libraries, in the tree; default: the only stepbench-worker there");
  command
      .option(kMeasureOptions, "--jobs N", request.jobs,
              "Build N commits in parallel, including those that may be needed next")
      .whole_number(1, 64);
  command.flag(kCaseOptions, "--all", request.merges,
               "If the culprit is a merge, also search the commits that it merged");
  add_results(command, request.results, "Parent folder of the search's folder");
  add_resume(command, request.resume);
}

void add_bisect_output(Command& command, BisectOutput& output) {
  add_format(command, output.format, {"table", "markdown", "json"});
  add_quiet(command, output.quiet);
  command.flag(kRunOptions, "--dry-run", output.dry_run,
               "Print the number of builds and launches and the time; build nothing");
}

int search_and_report(const bisect::BisectRequest& request, const BisectOutput& output,
                      const Environment& environment) {
  const campaign::CampaignContext context = campaign_context(environment);
  if (output.dry_run) {
    environment.out << text::printable(
        report::bisect_plan_text(request, bisect::plan_bisect(request, context)),
        text::LineEnds::kKeep);
    return kExitOk;
  }
  const HostClock clock;
  run::Progress progress = make_progress(environment, output.quiet, clock);
  run::Interrupts interrupts;
  try {
    const bisect::BisectRun run = bisect::run_bisect(request, context, progress, interrupts, clock);
    if (run.signal) {
      environment.err << "stepbench: interrupted; continue with --resume "
                      << text::printable(run.folder.string()) << '\n';
      return run.exit_status;
    }
    if (output.format == "json") {
      print(environment, bisect::search_json(run));
      return run.exit_status;
    }
    print(environment, document::render(report::bisect_document(run),
                                        {.markdown = output.format == "markdown",
                                         .colour = environment.colour,
                                         .columns = environment.terminal_columns}));
    progress.print_line("Results: " + run.folder.string());
    return run.exit_status;
  } catch (const bisect::NothingMeasured& error) {
    environment.err << "stepbench: error: " << text::printable(error.what()) << '\n';
    return kExitNothingMeasured;
  }
}

}  // namespace stepbench::cli
