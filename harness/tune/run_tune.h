// SPDX-License-Identifier: Apache-2.0
// What `stepbench tune` does: measures the points of an experiment's sweep by halving, compares the
// winner with the file's own settings by fresh pairs, and writes it down. All launches stay in the
// search's folder, so that one that was cut off goes on to the same answer. Prints nothing but
// progress. Main thread only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/context.h"
#include "harness/campaign/device_locks.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"
#include "harness/tune/tune_run.h"

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

// Throws ConfigError for what the user can mend; the folder keeps what was measured.
[[nodiscard]] TuneRun run_tune(const TuneRequest& request, const campaign::CampaignContext& context,
                               run::Progress& progress, run::Interrupts& interrupts,
                               const Clock& clock);

}  // namespace stepbench::tune
