// SPDX-License-Identifier: Apache-2.0
// What `stepbench bisect` does: builds commits, measures each in turns with the good end as `ab`
// does, and goes on until the culprit is named or cannot be. All launches and programs stay in the
// search's folder, so that one that was cut off goes on to the same answer. Prints nothing but
// progress. Main thread only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/error.h"
#include "harness/bisect/bisect_run.h"
#include "harness/campaign/context.h"
#include "harness/campaign/run_ab.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"

namespace stepbench::bisect {

struct BisectRequest {
  std::string good;
  std::string bad;
  std::vector<std::string> versions = {};  // in place of commits, in their order
  // The experiment, and what both sides have; a value may hold {worktree}, {commit}, {version}.
  campaign::ArmsRequest arms = {};
  std::string script = {};  // of --python: relative to the repository's top, that of each commit
  std::string build = {};
  std::string worker = {};      // see BuildRequest
  std::string metric = "step";  // or kCounts
  double confidence = 0.95;
  std::optional<double> size = {};  // of the step looked for, 0.03; nullopt: that of the ends
  std::size_t jobs = 1;             // builds beside each other
  bool merges = false;              // a merge that is the culprit is searched too
  std::optional<std::uint64_t> seed = {};
  std::string results = "results";
  std::string resume = {};  // the folder of a search to go on with
  campaign::LockPolicy lock = campaign::LockPolicy::kRefuse;
};

// A side that has to be measured cannot be.
class NothingMeasured : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

// Throws ConfigError for what the user can mend; then the folder keeps what was measured.
[[nodiscard]] BisectRun run_bisect(const BisectRequest& request,
                                   const campaign::CampaignContext& context,
                                   run::Progress& progress, run::Interrupts& interrupts,
                                   const Clock& clock);

}  // namespace stepbench::bisect
