// SPDX-License-Identifier: Apache-2.0
// The two sides of `stepbench ab`, each planned with its own worker's catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/campaign/context.h"
#include "harness/compare/ab_comparison.h"
#include "harness/plan/plan.h"
#include "harness/run/worker_program.h"

namespace stepbench::campaign {

// Input of `ab`: an experiment with two workers or two sets of options.
struct ArmsRequest {
  std::string file;
  std::optional<std::string> text = {};  // content of `file`; nullopt: read from disk
  std::string a = {};                    // worker programs; empty: the one next to this program
  std::string b = {};
  std::vector<std::string> a_set = {};
  std::vector<std::string> b_set = {};
  std::vector<std::string> a_env = {};
  std::vector<std::string> b_env = {};
  std::vector<std::string> set = {};
  std::vector<std::string> sweep = {};
  std::vector<std::string> filter = {};
  std::vector<std::string> cases = {};  // ids or prefixes
  std::int64_t profile = 0;  // profiled launches per arm of a changed case; 0: from the file
  std::int64_t max_cases = 100'000;
};

struct AbArm {
  std::string name;
  run::WorkerProgram worker;
  std::vector<std::string> set;  // this arm's only, with --x-env as env.NAME
  Catalogue catalogue;
  plan::Plan plan;    // cases in the order of the points, then those that cannot be compared
  std::string words;  // description of its differences for users (arm_words.h)
};

struct AbArms {
  AbArm a;
  AbArm b;
  std::vector<compare::AbPoint> points = {};
  std::vector<compare::AbMissing> missing = {};  // plan.cases after the points, in order
  std::vector<std::string> overridden = {};
  std::vector<std::string> warnings = {};
};

// At least one point or missing case. Throws ConfigError, naming the arm if one is wrong.
[[nodiscard]] AbArms resolve_arms(const ArmsRequest& request, const CampaignContext& context);

}  // namespace stepbench::campaign
