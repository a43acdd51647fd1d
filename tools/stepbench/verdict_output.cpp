// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/verdict_output.h"

#include <CLI/CLI.hpp>
#include <fstream>
#include <ostream>

#include "harness/base/error.h"
#include "harness/os/output_file.h"
#include "harness/report/comparison_json.h"
#include "harness/report/comparison_text.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {

void add_verdict_output(CLI::App& command, VerdictOutput& output) {
  command.add_flag("--all", output.all, "Also print the rows that are ok")->group(kOutputOptions);
  add_format(command, output.format, {"table", "markdown", "json"});
  command
      .add_option("--verdict", output.verdict_file,
                  "Also write the JSON form here; `ab` always writes verdict.json in the run's "
                  "folder")
      ->type_name("FILE")
      ->group(kOutputOptions);
  command.add_option("--markdown", output.markdown_file, "Also write the Markdown form here")
      ->type_name("FILE")
      ->group(kOutputOptions);
}

void check_verdict_output(const VerdictOutput& output, std::vector<std::filesystem::path> inputs) {
  const auto resolved = [](const std::filesystem::path& path) {
    return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
  };
  check_output_file("--verdict", output.verdict_file, inputs);
  check_output_file("--markdown", output.markdown_file, inputs);
  if (output.verdict_file.empty() || output.markdown_file.empty()) return;
  if (resolved(output.verdict_file) == resolved(output.markdown_file)) {
    throw ConfigError("--markdown", output.markdown_file + " is the file of --verdict, too");
  }
}

void write_verdict(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (!file) throw ConfigError(path, "cannot be written");
}

void show_verdict(const Comparison& comparison, const VerdictOutput& output,
                  const Environment& environment) {
  const std::string json = comparison_json(comparison);
  write_verdict(output.verdict_file, json);
  if (!output.markdown_file.empty()) {
    write_verdict(output.markdown_file, comparison_markdown(comparison, output.all));
  }
  if (output.format == "json") {
    environment.out << json;
  } else if (output.format == "markdown") {
    environment.out << comparison_markdown(comparison, output.all);
  } else {
    const TableStyle style{.colour = environment.colour, .columns = environment.terminal_columns};
    environment.out << comparison_table(comparison, style, output.all);
  }
  environment.out.flush();
  if (!environment.out) throw ConfigError("standard output", "cannot be written");
}

}  // namespace stepbench::cli
