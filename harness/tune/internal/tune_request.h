// SPDX-License-Identifier: Apache-2.0
// The user's request for a search for good settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/run_experiment.h"
#include "harness/tune/internal/tune_agenda.h"

namespace stepbench::tune {

struct TuneRequest : campaign::RunRequest {
  std::vector<std::string> spaces = {};  // from space_names(), in addition to the sweep
  std::string arguments = {};            // script arguments: see sweep_of_arguments()
  std::string objective = {};  // a metric; empty: the step, or samples/s if batch sizes differ
  std::optional<double> margin = {};
  std::optional<double> memory_limit = {};  // bytes
  Allowance allowance = {};
  bool confirm = true;
  std::vector<std::string> allow = {};  // gates that only warn in the confirmation
  std::optional<std::uint64_t> seed = {};
  std::string tuned_file = {};  // additional file for the winner; empty: only in the folder
};

}  // namespace stepbench::tune
