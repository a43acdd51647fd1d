// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <exception>

#include "harness/compare/comparison.h"
#include "harness/report/comparison_json.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/compare_flags.h"
#include "tools/stepbench/compare_key.h"
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

struct Arguments {
  std::string base;
  std::string candidate;
  std::vector<std::string> ignore;
  std::vector<std::string> allow;
  std::vector<std::string> margins;
  std::string format = "table";
  std::string verdict_file;
  std::string markdown_file;
  bool bootstrap = false;
  bool allow_inconclusive = false;
  bool all = false;
};

Comparison compare_files(const Arguments& arguments) {
  const Results base = read_results(arguments.base);
  const Results candidate = read_results(arguments.candidate);
  std::vector<std::string> known = {"all", "missing"};
  known.insert(known.end(), gate_names().begin(), gate_names().end());
  for (const Results* side : {&base, &candidate}) {
    for (std::string& field : environment_fields(*side)) known.push_back(std::move(field));
  }
  check_allowed(arguments.allow, known);
  CompareOptions options{.margins = parse_margins(arguments.margins, {}),
                         .allow = arguments.allow,
                         .bootstrap = arguments.bootstrap,
                         .allow_inconclusive = arguments.allow_inconclusive};
  if (!arguments.ignore.empty()) {
    options.ignore = full_names(arguments.ignore, base, candidate);
    options.key = key_without(options.ignore, built_in_catalogue());
  }
  Comparison comparison =
      compare({&base, arguments.base}, {&candidate, arguments.candidate}, options);
  if (comparison.cases.empty() && arguments.ignore.empty()) {
    std::string why = why_nothing_joins(base, candidate, built_in_catalogue());
    if (!why.empty()) comparison.warnings.push_back(std::move(why));
  }
  return comparison;
}

int execute(const Arguments& arguments, const Environment& environment) {
  Comparison comparison;
  try {
    comparison = compare_files(arguments);
  } catch (const std::exception& error) {
    // An old verdict must not be taken for this one's.
    write_verdict(arguments.verdict_file, error_json(kUsage, error.what()));
    throw;
  }
  show_verdict(comparison,
               {arguments.format, arguments.verdict_file, arguments.markdown_file, arguments.all},
               environment);
  return comparison.exit_code;
}

}  // namespace

void add_compare(CLI::App& app, const Environment& environment, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* compare =
      app.add_subcommand("compare", "Set two results side by side, with intervals and verdicts");
  compare->footer(kCompareExamples);
  compare->add_option("BASE", arguments->base, "A result file or a run's folder")->required();
  compare->add_option("NEW", arguments->candidate, "Another one")->required();
  compare
      ->add_option("--ignore", arguments->ignore,
                   "An option in which the cases may differ; repeat it for several")
      ->type_name("KEY")
      ->allow_extra_args(false);
  compare
      ->add_option(
          "--allow", arguments->allow,
          "A field of the environment that may differ; also `all`, `missing` for cases that only "
          "one result has, `noise` for a gate that is to warn and not to fail")
      ->type_name("FIELD")
      ->allow_extra_args(false);
  compare
      ->add_option("--margin", arguments->margins,
                   "The change that does not matter. Default: step=1%, and for peak_bytes 1% where "
                   "launches differ among themselves, else 0")
      ->type_name("NAME=SHARE")
      ->allow_extra_args(false);
  compare->add_flag("--bootstrap", arguments->bootstrap,
                    "Also a bootstrap interval of the ratio of medians, in the JSON form");
  compare->add_flag("--allow-inconclusive", arguments->allow_inconclusive,
                    "Exit 0 when nothing can be said or only suspected");
  compare->add_flag("--all", arguments->all, "Also print the rows that are ok");
  compare->add_option("--format", arguments->format, "What is printed")
      ->check(CLI::IsMember({"table", "markdown", "json"}))
      ->capture_default_str();
  compare->add_option("--verdict", arguments->verdict_file, "Also write the JSON form here")
      ->type_name("FILE");
  compare->add_option("--markdown", arguments->markdown_file, "Also write the Markdown form here")
      ->type_name("FILE");
  compare->callback(
      [arguments, &environment, &exit_code] { exit_code = execute(*arguments, environment); });
}

}  // namespace stepbench::cli
