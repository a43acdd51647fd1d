// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <ostream>
#include <string>

#include "harness/base/exit_status.h"
#include "harness/catalogue/schema.h"
#include "harness/report/html/embedded.h"
#include "tools/stepbench/command.h"
#include "tools/stepbench/options.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

constexpr const char* kOfReport = "report";

}  // namespace

void add_schema(CLI::App& app, const Environment& environment, int& exit_code) {
  auto of = std::make_shared<std::string>("experiment");
  CLI::App* command = app.add_subcommand(
      "schema", "Print the JSON Schema of experiment files, for editors, or of a report's data");
  CLI::Option* what = command->add_option("WHAT", *of, "Of which files")->capture_default_str();
  expect_one_of(*what, {"experiment", kOfReport});
  command->footer(
      "Examples:\n"
      "  stepbench schema > stepbench.schema.json\n"
      "  stepbench schema report        of the data in the pages of `stepbench report`\n\n"
      "Then write as the first line of a YAML file, for editors with the YAML language server:\n"
      "    # yaml-language-server: $schema=stepbench.schema.json");
  command->callback([of, &environment, &exit_code] {
    if (*of == kOfReport) {
      environment.out << report::report_schema();
    } else {
      environment.out << catalogue::json_schema(built_in_catalogue());
    }
    exit_code = kExitOk;
  });
}

}  // namespace stepbench::cli
