// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "harness/base/exit_status.h"
#include "harness/report/plans.h"
#include "harness/run/worker_program.h"
#include "harness/text/printable.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/options.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

struct ListOptions {
  std::string name;
  std::string format = "table";
  std::string worker;
};

Catalogue catalogue_of(const std::string& worker, const Environment& environment) {
  if (worker.empty()) return built_in_catalogue();
  return run::describe_worker(run::find_worker(worker, environment.program_dir),
                              run::cache_directory(environment.variables));
}

int list(const ListOptions& options, const Environment& environment) {
  const report::CatalogueView view{
      .name = options.name,
      .format = format_of(options.format),
      .width = static_cast<std::size_t>(std::clamp(environment.terminal_columns, 40, 100))};
  environment.out << text::printable(
      report::catalogue_text(catalogue_of(options.worker, environment), view),
      text::LineEnds::kKeep);
  return kExitOk;
}

}  // namespace

void add_list(Command& command) {
  ListOptions& options = command.calls(list);
  command.argument("NAME", options.name, "A workload, section or option; or: metrics, all", "NAME");
  add_worker(command, options.worker);
  add_format(command, options.format, {"table", "json", "markdown"});
}

}  // namespace stepbench::cli
