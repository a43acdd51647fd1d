// SPDX-License-Identifier: Apache-2.0
// A search before anything of it is built: how much it takes. Runs git; main thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "harness/bisect/bisect_request.h"
#include "harness/campaign/context.h"

namespace stepbench::bisect {

// With a clear step, and never more.
struct Expected {
  std::size_t usual = 0;
  std::size_t most = 0;
};

struct BisectPlan {
  std::size_t commits = 0;
  Expected builds = {};  // none of scripts
  Expected launches = {};
  std::optional<double> launch_s = {};  // by earlier results of the experiment
};

// Throws ConfigError for ends that no search can have.
[[nodiscard]] BisectPlan plan_bisect(const BisectRequest& request,
                                     const campaign::CampaignContext& context);

}  // namespace stepbench::bisect
