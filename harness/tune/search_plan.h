// SPDX-License-Identifier: Apache-2.0
// The points of a search and the file's own settings. Main thread only; throw ConfigError.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/campaign/context.h"
#include "harness/campaign/run_experiment.h"
#include "harness/tune/tune_request.h"

namespace stepbench::tune {

struct SearchPlan {
  campaign::PlannedRun space = {};      // its cases are the points
  std::size_t own = 0;                  // index of the file's own settings
  bool own_is_swept = false;            // they are also in the sweep
  std::string own_text = {};            // the experiment without its sweep
  std::vector<std::string> sweep = {};  // as requested, including the spaces
  bool changes_work = false;            // varying options change what is computed

  [[nodiscard]] const plan::Plan& plan() const { return space.planned.plan; }
};

[[nodiscard]] SearchPlan plan_search(const TuneRequest& request,
                                     const campaign::CampaignContext& context);

[[nodiscard]] campaign::RunRequest search_run(const TuneRequest& request,
                                              const std::vector<std::string>& sweep);

}  // namespace stepbench::tune
