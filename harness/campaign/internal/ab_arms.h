// SPDX-License-Identifier: Apache-2.0
// The two sides of `stepbench ab`: each is planned by its own worker's catalogue, both get the same
// window and warm-up, and their differences are described in words. Throws ConfigError.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/campaign/internal/context.h"
#include "harness/campaign/internal/run_request.h"
#include "harness/plan/plan.h"
#include "harness/run/worker_program.h"
#include "harness/verdict/ab_campaign.h"

namespace stepbench::campaign {

struct AbArm {
  std::string name;
  run::WorkerProgram worker;
  std::vector<std::string> set;         // this arm's only, with --x-env as env.NAME
  std::vector<std::string> names = {};  // full names of the options in `set`
  Catalogue catalogue;
  plan::Plan plan;    // cases in the order of the points, then those that cannot be compared
  std::string words;  // description of its differences for users
};

struct AbArms {
  AbArm a;
  AbArm b;
  std::vector<verdict::AbPoint> points = {};
  std::vector<verdict::AbMissing> missing = {};  // plan.cases after the points, in order
  std::vector<std::string> overridden = {};
  std::vector<std::string> warnings = {};
};

// At least one point or missing case. Throws ConfigError, naming the arm if one is wrong.
[[nodiscard]] AbArms resolve_arms(const AbRequest& request, const CampaignContext& context);

// Sets the window and warm-up of both arms of a point to the larger ones, rounded up to whole turns
// of either arm's workers, so that they fit both loaders. Changes nothing if neither has a loader
// with workers, nor any option in `kept`. Returns whether anything changed.
bool align_schedules(const std::set<std::string>& kept, ResolvedCase& a, ResolvedCase& b);

// For arms that run the same program with the same options: such a comparison cannot find a change,
// only the spread of equal launches. Empty for others.
[[nodiscard]] std::string equal_arms_note(const AbArms& arms);

}  // namespace stepbench::campaign
