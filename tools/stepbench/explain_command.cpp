// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "harness/base/exit_status.h"
#include "harness/campaign/explain_files.h"
#include "harness/document/render.h"
#include "harness/report/explain_document.h"
#include "tools/stepbench/commands.h"
#include "tools/stepbench/options.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

constexpr const char* kExplainExamples =
    R"(The same experiment was run on two machines, or on one in two states. Controls, which `stepbench doctor
--measure` measures on each, tell how much faster it is at known work: matrix products, memory, calls of
operations, JPEG files, processes. What they predict of each phase is set beside what was measured; the rest
is not the machine, or nothing that a control resembles. A phase whose work may be of several kinds is
predicted as a range; operations that a run recorded (--profile) make it narrow. It says what it cannot tell.

Examples:
  stepbench explain results/monday results/tuesday
  stepbench explain results/monday results/tuesday --a-controls machine-a.json --b-controls machine-b.json
  stepbench explain old new --format json
  stepbench explain old new --ignore threads.intra_op       the sides differ in an option, on purpose

Exit status: 0 something is told of a phase, 2 wrong usage or no case on both sides, 3 nothing can be told:
no controls, too few launches, ranges too wide, 4 one side has nothing measured.)";

struct ExplainOptions {
  campaign::ExplainRequest request = {};
  std::string format = "table";
};

int exit_code_of(const compare::Explanation& explanation) {
  const bool measured = std::ranges::any_of(explanation.cases, [](const compare::CaseSplit& one) {
    return one.a_launches > 0 && one.b_launches > 0;
  });
  if (!measured) return kExitNothingMeasured;
  return explanation.tells() ? kExitOk : kExitInconclusive;
}

int execute_explain(const ExplainOptions& options, const Environment& environment) {
  const campaign::ExplainedRuns runs =
      campaign::explain_runs(options.request, built_in_catalogue(), environment.variables);
  const int exit_code = exit_code_of(runs.explanation);
  print(environment, options.format == "json"
                         ? report::explain_json(runs.explanation, exit_code)
                         : document::render(report::explain_document(runs.explanation),
                                            {.markdown = options.format == "markdown",
                                             .colour = environment.colour,
                                             .columns = environment.terminal_columns}));
  return exit_code;
}

}  // namespace

void add_explain(Command app) {
  const Command command =
      app.add("explain", "Why is one machine slower? What its controls predict, and the rest",
              kExplainExamples);
  ExplainOptions& options = command.calls(execute_explain);
  campaign::ExplainRequest& request = options.request;
  command.argument("RUN_A", request.a, "A result file or a run's folder", "RUN").required();
  command.argument("RUN_B", request.b, "The same experiment on the other machine", "RUN")
      .required();
  add_cases(command, request.cases);
  command.repeated(kCaseOptions, "--ignore KEY", request.ignore,
                   "An option in which the cases may differ; may be repeated");
  command.option(kMeasureOptions, "--a-controls FILE", request.a_controls,
                 "What `doctor --measure` kept on the machine of RUN_A, or printed as JSON; "
                 "default: what the run carries");
  command.option(kMeasureOptions, "--b-controls FILE", request.b_controls, "The same of RUN_B");
  add_format(command, options.format, {"table", "markdown", "json"});
}

}  // namespace stepbench::cli
