// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/compare_files.h"
#include "harness/report/comparison_document.h"
#include "harness/text/words.h"
#include "tools/stepbench/command_line.h"
#include "tools/stepbench/detectable_change.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/output_files.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

constexpr const char* kCompareExamples =
    R"(Cases are joined by their id: the options that make up a case. One result was measured after the
other, so a change of the machine looks like a change of the program; times therefore give at most
"suspect". With --gate counts, counts decide instead, which no machine disturbs: calls of operations,
launches, copies and allocations of results measured with --profile. Each of several results is
compared with the base, all their tests are corrected together, and the worst verdict decides.

Examples:
  stepbench compare results/monday results/tuesday
  stepbench compare results/monday results/tuesday results/wednesday
  stepbench compare results/2026* --baseline results/20260105-120000-release
  stepbench compare old.jsonl new.jsonl --format markdown > comment.md
  stepbench compare old new --ignore loader.engine             thread against inline
  stepbench compare old new --margin step=2% --margin peak_bytes=0
  stepbench compare old new --allow cpu.model                  another machine, on purpose
  stepbench compare old new --verdict verdict.json; jq .exit_code verdict.json
  stepbench compare old new --junit report.xml --format github
  stepbench compare old new --gate counts                      one more aten::copy_ is a regression

Exit status: 0 ok or better, 1 a regression of a count (only with --gate counts), 2 wrong usage or sides that may not be compared, 3 inconclusive or
perhaps worse (0 with --allow-inconclusive), 4 no data or an invalid environment. A make recipe turns
every failure into 2: read exit_code from the verdict file there.)";

struct CompareArguments {
  campaign::CompareRequest request = {};
  std::string candidate = {};
  std::vector<std::string> more = {};
  std::string baseline = {};
  VerdictOutput output = {};
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
  const std::string command = "stepbench compare";
  std::vector<compare::Comparison> comparisons;
  (void)run_session(
      command, options.output.exports, environment,
      [&] {
        comparisons = campaign::compare_files(request, built_in_catalogue());
        return kExitOk;
      },
      [&](const Failure& failure) {
        write_no_verdict(options.output, command, failure.exit_status, failure.text);
      });
  quote_machine(environment, comparisons);
  for (compare::Comparison& comparison : comparisons) {
    comparison.judge_again =
        "stepbench " + text::join(std::span(environment.argv).subspan(1), " ", text::shell_word);
  }
  show_verdict(comparisons, options.output, environment);
  return comparisons[compare::worst_of(comparisons)].exit_code;
}

}  // namespace

void add_compare(Command& compare) {
  compare.footer = kCompareExamples;
  CompareArguments& arguments = compare.calls(execute_compare);
  campaign::CompareRequest& request = arguments.request;
  VerdictOutput& output = arguments.output;
  compare.argument("BASE", request.base, "A result file or a run's folder: the base", "RUN")
      .required();
  compare.argument("NEW", arguments.candidate, "The result that is compared with it", "RUN")
      .required();
  compare.argument("MORE", arguments.more,
                   "More results, each compared with the base: a column for each", "RUN");
  compare.option(kVerdictOptions, "--baseline RUN", arguments.baseline,
                 "The base, if it is not the first result");
  compare.repeated(kCaseOptions, "--ignore KEY", request.ignore,
                   "An option in which the cases may differ; may be repeated");
  add_metric(compare, request.metrics);
  add_margin(compare, request.margins);
  compare
      .repeated(kVerdictOptions, "--allow FIELD", request.allow,
                "A field of the environment that may differ; also `all`, and `missing` for cases "
                "that only one result has")
      .common();
  add_gate(compare, request.gate_counts);
  add_allow_inconclusive(compare, request.allow_inconclusive);
  add_verdict_output(compare, output);
}

}  // namespace stepbench::cli
