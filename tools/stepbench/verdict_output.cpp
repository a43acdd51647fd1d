// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/verdict_output.h"

#include <ostream>

#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/os/output_file.h"
#include "harness/report/checks.h"
#include "harness/report/comparison_document.h"
#include "harness/report/comparison_json.h"
#include "harness/report/exports.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {

void add_verdict_output(Command& command, VerdictOutput& output) {
  command.flag(kOutputOptions, "--all", output.all, "Also print the rows that are ok").common();
  add_format(command, output.format, {"table", "markdown", "json", "github"});
  command.option(kOutputOptions, "--verdict FILE", output.verdict_file,
                 "Also write the JSON form here; `ab` always writes verdict.json in the run's "
                 "folder");
  command.option(kOutputOptions, "--markdown FILE", output.markdown_file,
                 "Also write the Markdown form here");
  add_export_files(command, output.exports);
}

void write_verdict(const std::string& path, const std::string& text) {
  os::write_output_file({}, path, text);
}

void write_no_verdict(const VerdictOutput& output, const std::string& command, int exit_status,
                      const std::string& text) {
  write_verdict(output.verdict_file, report::error_json(exit_status, text));
  write_error_export_files(output.exports, command, text, exit_status);
}

void show_verdict(std::span<const compare::Comparison> comparisons, const VerdictOutput& output,
                  const Environment& environment) {
  const std::string json = report::verdict_json(comparisons);
  const auto drawn = [&](bool markdown) {
    return document::render(report::comparison_document(comparisons, output.all),
                            {.markdown = markdown,
                             .colour = environment.colour,
                             .columns = environment.terminal_columns});
  };
  write_verdict(output.verdict_file, json);
  if (!output.markdown_file.empty()) write_verdict(output.markdown_file, drawn(true));
  write_export_files(output.exports, comparisons);
  if (output.format == "json") {
    print(environment, json);
  } else if (output.format == "markdown") {
    print(environment, drawn(true));
  } else if (output.format == "github") {
    print(environment, report::github_annotations(report::checks_of(comparisons)));
  } else {
    print(environment, drawn(false));
  }
  write_report(output.exports, comparisons, environment);
}

}  // namespace stepbench::cli
