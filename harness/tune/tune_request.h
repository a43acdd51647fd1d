// SPDX-License-Identifier: Apache-2.0
// What is asked of a search for good settings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/device_locks.h"
#include "harness/tune/tune_agenda.h"

namespace stepbench::tune {

struct TuneRequest {
  std::string file;
  std::optional<std::string> text = {};  // what `file` holds; nullopt: it is read
  std::vector<std::string> set = {};
  std::vector<std::string> sweep = {};
  std::vector<std::string> spaces = {};  // of space_names(), besides the sweep
  std::string arguments = {};            // of a script: see sweep_of_arguments()
  std::vector<std::string> filter = {};
  std::string worker = {};     // empty: the one beside this program
  std::string objective = {};  // a metric; empty: the step, or samples/s where batches differ
  std::optional<double> margin = {};
  std::optional<double> memory_limit = {};  // bytes
  Allowance allowance = {};
  bool confirm = true;
  std::vector<std::string> allow = {};  // gates of the confirmation that only warn
  std::optional<std::uint64_t> seed = {};
  std::string results = "results";
  std::string resume = {};      // the folder of a search to go on with
  std::string tuned_file = {};  // where to write the winner too; empty: into the folder alone
  campaign::LockPolicy lock = campaign::LockPolicy::kRefuse;
};

}  // namespace stepbench::tune
