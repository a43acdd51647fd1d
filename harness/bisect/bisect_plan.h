// SPDX-License-Identifier: Apache-2.0
// Plan of a search: its commits, builds and launches. Runs git; main thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/bisect/internal/bisect_request.h"
#include "harness/campaign/context.h"

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

}  // namespace stepbench::bisect
