// SPDX-License-Identifier: Apache-2.0
#include <span>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/examine_machine.h"
#include "harness/campaign/run_ab.h"
#include "harness/report/verdicts.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/options.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

struct CompareArguments {
  campaign::CompareRequest request = {};
  std::string candidate = {};
  std::vector<std::string> more = {};
  std::string baseline = {};
  Output output = {};
};

campaign::CompareRequest request_of(const CompareArguments& arguments) {
  campaign::CompareRequest request = arguments.request;
  request.candidates = {arguments.candidate};
  request.candidates.insert(request.candidates.end(), arguments.more.begin(), arguments.more.end());
  if (request.candidates.size() >= report::kMaxCompared) {
    throw ConfigError("compare", "takes at most " + std::to_string(report::kMaxCompared) +
                                     " results at once; `stepbench track` keeps the history of "
                                     "more");
  }
  if (!arguments.baseline.empty()) campaign::choose_base(arguments.baseline, request);
  campaign::refuse_given_twice(request);
  return request;
}

int execute_compare(const CompareArguments& options, const Environment& environment) {
  const campaign::CompareRequest request = request_of(options);
  std::vector<verdict::Comparison> comparisons;
  (void)run_session("stepbench compare", options.output, environment, [&] {
    comparisons = campaign::compare_files(request, built_in_catalogue());
    return kExitOk;
  });
  campaign::quote_machine(environment.variables, comparisons);
  for (verdict::Comparison& comparison : comparisons) {
    comparison.judge_again =
        "stepbench " + text::join(std::span(environment.argv).subspan(1), " ", text::shell_word);
  }
  show_verdict(comparisons, options.output, environment);
  return comparisons[verdict::worst_of(comparisons)].exit_code;
}

}  // namespace

void add_compare(Command& compare) {
  CompareArguments& arguments = compare.calls(execute_compare);
  campaign::CompareRequest& request = arguments.request;
  compare.argument("BASE", request.base, "A result file or a run's folder: the base", "RUN")
      .required();
  compare.argument("NEW", arguments.candidate, "The result that is compared with it", "RUN")
      .required();
  compare.argument("MORE", arguments.more,
                   "More results, each compared with the base: a column for each", "RUN");
  compare.option(kVerdictOptions, "--baseline RUN", arguments.baseline,
                 "The base, if it is not the first result");
  compare.option(kCaseOptions, "--ignore KEY", request.ignore,
                 "An option in which the cases may differ; may be repeated");
  add_verdict_rule(compare, request, "--allow FIELD",
                   "A field of the environment that may differ; also `all`, and `missing` for "
                   "cases that only one result has")
      .common();
  add_verdict_output(compare, arguments.output);
}

}  // namespace stepbench::cli
