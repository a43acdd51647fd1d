// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/verdict_output.h"

#include <fstream>
#include <ostream>

#include "harness/base/error.h"
#include "harness/report/comparison_json.h"
#include "harness/report/comparison_text.h"

namespace stepbench::cli {

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
