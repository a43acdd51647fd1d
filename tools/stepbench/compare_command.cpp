// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <ostream>

#include "harness/compare/comparison.h"
#include "harness/error.h"
#include "harness/report/comparison_json.h"
#include "harness/report/comparison_text.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/compare_key.h"
#include "workloads/catalogue/built_in.h"

namespace stepbench::cli {
namespace {

constexpr const char* kExamples =
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

double parse_margin(const std::string& given, std::string_view text) {
  double value = 0;
  const bool percent = !text.empty() && text.back() == '%';
  if (percent) text.remove_suffix(1);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const double share = percent ? value / 100 : value;
  if (error != std::errc{} || end != text.data() + text.size() || !(share >= 0 && share < 1)) {
    throw ConfigError("--margin", "'" + given +
                                      "' is not a share from 0 to 1 or a percentage: step=1%, "
                                      "peak_bytes=0.005");
  }
  return share;
}

Margins parse_margins(const std::vector<std::string>& given) {
  Margins margins;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    const std::string name = equals == std::string::npos ? "step" : text.substr(0, equals);
    const double share = parse_margin(
        text, std::string_view(text).substr(equals == std::string::npos ? 0 : equals + 1));
    if (name == "step") {
      margins.step = share;
    } else if (name == "peak_bytes") {
      margins.peak_bytes = share;
    } else {
      throw ConfigError("--margin",
                        "'" + name + "' has no margin; those that have: step, peak_bytes");
    }
  }
  return margins;
}

void write_file(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw ConfigError(path, "cannot be written");
}

Comparison compare_files(const Arguments& arguments) {
  const Results base = read_results(arguments.base);
  const Results candidate = read_results(arguments.candidate);
  CompareOptions options{.margins = parse_margins(arguments.margins),
                         .allow = arguments.allow,
                         .bootstrap = arguments.bootstrap,
                         .allow_inconclusive = arguments.allow_inconclusive};
  if (!arguments.ignore.empty()) {
    options.ignore = full_names(arguments.ignore, base, candidate);
    options.key = key_without(options.ignore, built_in_catalogue());
  }
  return compare({&base, arguments.base}, {&candidate, arguments.candidate}, options);
}

int execute(const Arguments& arguments, const Environment& environment) {
  Comparison comparison;
  try {
    comparison = compare_files(arguments);
  } catch (const std::exception& error) {
    // An old verdict must not be taken for this one's.
    write_file(arguments.verdict_file, error_json(kUsage, error.what()));
    throw;
  }
  const std::string json = comparison_json(comparison);
  write_file(arguments.verdict_file, json);
  write_file(arguments.markdown_file, comparison_markdown(comparison, arguments.all));
  if (arguments.format == "json") {
    environment.out << json;
  } else if (arguments.format == "markdown") {
    environment.out << comparison_markdown(comparison, arguments.all);
  } else {
    const TableStyle style{.colour = environment.colour, .columns = environment.terminal_columns};
    environment.out << comparison_table(comparison, style, arguments.all);
  }
  environment.out.flush();
  if (!environment.out) throw ConfigError("standard output", "cannot be written");
  return comparison.exit_code;
}

}  // namespace

void add_compare(CLI::App& app, const Environment& environment, int& exit_code) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* compare =
      app.add_subcommand("compare", "Set two results side by side, with intervals and verdicts");
  compare->footer(kExamples);
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
          "A field of the environment that may differ; also `all`, and `missing` for cases "
          "that only one result has")
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
