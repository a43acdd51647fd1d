// SPDX-License-Identifier: Apache-2.0
// The common start of commands that plan or measure.
#pragma once

#include <optional>
#include <string>

#include "harness/base/clock.h"
#include "harness/campaign/run_experiment.h"
#include "harness/run/terminal.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// Includes the built-in workloads; detects the machine's devices.
[[nodiscard]] campaign::CampaignContext campaign_context(const Environment& environment);

// Created when measuring begins: from then on signals end the measurement and not the program.
struct Measurement {
  // Progress is printed to standard error. `context` must outlive it.
  Measurement(const Environment& environment, const campaign::CampaignContext& context, bool quiet);

  HostClock clock = {};
  run::Progress progress;
  run::Interrupts interrupts = {};
  campaign::Launching launching;
};

// Returns all of standard input if `file` is `-`; nullopt otherwise. Throws ConfigError if it is
// too large for an experiment.
[[nodiscard]] std::optional<std::string> text_if_standard_input(const std::string& file);

}  // namespace stepbench::cli
