// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <exception>
#include <memory>

#include "harness/base/exit_status.h"
#include "harness/campaign/compare_files.h"
#include "harness/report/comparison_json.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/verdict_output.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

constexpr const char* kCompareExamples =
    R"(Cases are joined by their id: the options that make up a case. One result was measured after the
other, so a change of the machine looks like a change of the program; compare therefore says at most
"suspect".

Examples:
  stepbench compare results/monday results/tuesday
  stepbench compare old.jsonl new.jsonl --format markdown > comment.md
  stepbench compare old new --ignore loader.engine             thread against inline
  stepbench compare old new --margin step=2% --margin peak_bytes=0
  stepbench compare old new --allow cpu.model                  another machine, on purpose
  stepbench compare old new --verdict verdict.json; jq .exit_code verdict.json

Exit status: 0 ok or better, 2 wrong usage or sides that may not be compared, 3 inconclusive or
perhaps worse (0 with --allow-inconclusive), 4 no data or an invalid environment. A make recipe turns
every failure into 2: read exit_code from the verdict file there.)";

struct CompareArguments {
  CompareRequest request = {};
  VerdictOutput output = {};
};

int execute(const CompareArguments& options, const Environment& environment) {
  Comparison comparison;
  try {
    comparison = compare_files(options.request, built_in_catalogue());
  } catch (const std::exception& error) {
    // An old verdict must not be taken for this one's.
    const Failure failure = failure_of(error, "stepbench compare");
    write_verdict(options.output.verdict_file, error_json(failure.exit_status, failure.text));
    throw;
  }
  show_verdict(comparison, options.output, environment);
  return comparison.exit_code;
}

}  // namespace

void add_compare(CLI::App& app, const Environment& environment, int& exit_code) {
  auto arguments = std::make_shared<CompareArguments>();
  CompareRequest& request = arguments->request;
  VerdictOutput& output = arguments->output;
  CLI::App* compare =
      app.add_subcommand("compare", "Set two results side by side, with intervals and verdicts");
  compare->footer(kCompareExamples);
  compare->add_option("BASE", request.base, "A result file or a run's folder")->required();
  compare->add_option("NEW", request.candidate, "Another one")->required();
  compare
      ->add_option("--ignore", request.ignore,
                   "An option in which the cases may differ; repeat it for several")
      ->type_name("KEY")
      ->allow_extra_args(false);
  compare
      ->add_option(
          "--allow", request.allow,
          "A field of the environment that may differ; also `all`, `missing` for cases that only "
          "one result has, `noise` for a gate that is to warn and not to fail")
      ->type_name("FIELD")
      ->allow_extra_args(false);
  compare
      ->add_option("--metric", request.metrics,
                   "What is tested and decides, instead of step and peak_bytes: step_p99, "
                   "samples_per_s, a phase such as forward, or any that `list metrics` names. All "
                   "tests are corrected together: each one more takes more launches")
      ->type_name("NAME")
      ->delimiter(',')
      ->allow_extra_args(false);
  compare
      ->add_option("--margin", request.margins,
                   "The change that does not matter. Default: 1% of each metric; of peak_bytes 0 "
                   "where every launch has the same peak")
      ->type_name("NAME=SHARE")
      ->allow_extra_args(false);
  compare->add_flag("--bootstrap", request.bootstrap,
                    "Also a bootstrap interval of the ratio of medians, in the JSON form");
  compare->add_flag("--allow-inconclusive", request.allow_inconclusive,
                    "Exit 0 when nothing can be said or only suspected");
  compare->add_flag("--all", output.all, "Also print the rows that are ok");
  compare->add_option("--format", output.format, "What is printed")
      ->check(CLI::IsMember({"table", "markdown", "json"}))
      ->capture_default_str();
  compare->add_option("--verdict", output.verdict_file, "Also write the JSON form here")
      ->type_name("FILE");
  compare->add_option("--markdown", output.markdown_file, "Also write the Markdown form here")
      ->type_name("FILE");
  compare->callback(
      [arguments, &environment, &exit_code] { exit_code = execute(*arguments, environment); });
}

}  // namespace stepbench::cli
