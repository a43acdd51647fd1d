// SPDX-License-Identifier: Apache-2.0
// Implements `stepbench bisect`, its plan and the search: builds commits, measures each in
// alternation with the good end as `ab` does, and continues until the culprit is found or cannot
// be. All launches and programs stay in the search's folder, so that an interrupted search resumes
// to the same answer. Prints only progress; runs git. Main thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/bisect/bisect_result.h"
#include "harness/bisect/internal/bisect_request.h"
#include "harness/campaign/run_experiment.h"
#include "harness/nights/night_store.h"

namespace stepbench::bisect {

// Typical number for a clear step, and maximum.
struct Expected {
  std::size_t usual = 0;
  std::size_t most = 0;
};

struct BisectPlan {
  std::size_t commits = 0;
  Expected builds = {};  // zero for scripts
  Expected launches = {};
  std::optional<double> launch_s = {};  // from earlier results of the experiment
};

// Throws ConfigError for invalid ends.
[[nodiscard]] BisectPlan plan_bisect(const BisectRequest& request,
                                     const campaign::CampaignContext& context);

// Fills `basis` in from an alert: the commits of its last good and first bad night, the experiment
// and case of the bad night, the layout of builds learnt by its nights, and the metric and size of
// the changed series. `series` chooses that by the beginning of its id; the default is that of the
// step, else the first. Throws ConfigError.
[[nodiscard]] BisectRequest request_of_alert(const nights::Alert& alert, nights::TrackStore& store,
                                             const std::string& series, BisectRequest basis);

// Throws ConfigError for user errors; the folder then keeps what was measured.
[[nodiscard]] BisectRun run_bisect(const BisectRequest& request,
                                   const campaign::Launching& launching);

}  // namespace stepbench::bisect
