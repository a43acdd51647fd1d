// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/campaign_context.h"

#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

bool has_plugin(const ResolvedCase& resolved) {
  return resolved.has("model.kind") && resolved.text("model.kind") == "plugin";
}

}  // namespace

campaign::CampaignContext campaign_context(const Environment& environment) {
  return {.built_in = {.catalogue = built_in_catalogue(),
                       .rules = built_in_rules(),
                       .needs_worker_check = has_plugin},
          .argv = environment.argv,
          .variables = environment.variables,
          .program_dir = environment.program_dir,
          .stepbench_version = STEPBENCH_VERSION,
          .devices = machine::find_devices("/", machine::nvml_devices),
          .outputs = environment.outputs};
}

run::Progress make_progress(const Environment& environment, bool quiet, const Clock& clock) {
  return {environment.err,
          {.quiet = quiet,
           .terminal = environment.err_is_terminal,
           .columns =
               [&environment] {
                 const int columns = environment.err_columns();
                 return columns > 0 ? columns : environment.terminal_columns;
               }},
          clock};
}

}  // namespace stepbench::cli
