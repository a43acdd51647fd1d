// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <ostream>

#include "harness/base/exit_status.h"
#include "harness/catalogue/schema.h"
#include "tools/stepbench/command.h"
#include "workloads/built_in.h"

namespace stepbench::cli {

void add_schema(CLI::App& app, const Environment& environment, int& exit_code) {
  CLI::App* command =
      app.add_subcommand("schema", "Print the JSON Schema of experiment files, for editors");
  command->footer(
      "Examples:\n"
      "  stepbench schema > stepbench.schema.json\n\n"
      "Then write as the first line of a YAML file, for editors with the YAML language server:\n"
      "    # yaml-language-server: $schema=stepbench.schema.json");
  command->callback([&environment, &exit_code] {
    environment.out << json_schema(built_in_catalogue());
    exit_code = kExitOk;
  });
}

}  // namespace stepbench::cli
