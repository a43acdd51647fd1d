// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/session.h"

#include <iostream>

#include "harness/plan/plan.h"
#include "harness/plan/yaml_document.h"
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

Measurement::Measurement(const Environment& environment, const campaign::CampaignContext& context,
                         bool quiet)
    : progress(environment.err,
               {.quiet = quiet,
                .terminal = environment.err_is_terminal,
                .columns =
                    [&environment] {
                      const int columns = environment.err_columns();
                      return columns > 0 ? columns : environment.terminal_columns;
                    }},
               clock),
      launching{context, progress, interrupts, clock} {}

std::optional<std::string> text_if_standard_input(const std::string& file) {
  if (file != plan::kStandardInput) return std::nullopt;
  return plan::read_config_text(std::cin, plan::source_name(file));
}

}  // namespace stepbench::cli
