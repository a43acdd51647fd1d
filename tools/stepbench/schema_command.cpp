// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "harness/base/exit_status.h"
#include "harness/catalogue/json.h"
#include "harness/record/fields.h"
#include "harness/report/pages.h"
#include "tools/stepbench/internal/command_line.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

constexpr const char* kOfReport = "report";
constexpr const char* kOfResult = "result";

struct SchemaOptions {
  std::string of = "experiment";
};

int print_schema(const SchemaOptions& options, const Environment& environment) {
  if (options.of == kOfReport) {
    environment.out << report::report_schema();
  } else if (options.of == kOfResult) {
    environment.out << record::result_schema();
  } else {
    environment.out << catalogue::json_schema(built_in_catalogue());
  }
  return kExitOk;
}

}  // namespace

void add_schema(Command& command) {
  SchemaOptions& options = command.calls(print_schema);
  command.argument("WHAT", options.of, "Of which files")
      .with_default()
      .one_of({"experiment", kOfReport, kOfResult});
}

}  // namespace stepbench::cli
