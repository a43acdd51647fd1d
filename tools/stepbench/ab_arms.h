// SPDX-License-Identifier: Apache-2.0
// The two sides of `stepbench ab`, each planned by its own worker's catalogue.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/compare/ab_comparison.h"
#include "harness/machine/devices.h"
#include "harness/plan/plan.h"
#include "harness/run/worker_program.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

// The command line of `stepbench ab`.
struct AbOptions {
  std::string file;
  std::string a = {};  // worker programs; empty: the one beside this program
  std::string b = {};
  std::vector<std::string> a_set = {};
  std::vector<std::string> b_set = {};
  std::vector<std::string> a_env = {};
  std::vector<std::string> b_env = {};
  std::vector<std::string> set = {};
  std::vector<std::string> filter = {};
  std::vector<std::string> cases = {};
  std::int64_t profile = 0;  // profiled launches per arm of a changed case; 0: as the file says
  std::int64_t pairs = 0;    // 0: looks
  std::optional<std::uint64_t> seed = {};
  std::vector<std::string> margins = {};
  std::vector<std::string> allow = {};
  std::string results = "results";
  std::string resume = {};
  std::string format = "table";
  std::string verdict_file = {};
  std::string markdown_file = {};
  bool all = false;
  bool bootstrap = false;
  bool allow_inconclusive = false;
  bool smoke = false;
  std::int64_t max_cases = 100'000;
  bool wait_lock = false;
  bool no_lock = false;
  bool quiet = false;
};

struct AbArm {
  std::string name;
  WorkerProgram worker;
  std::vector<std::string> set;  // this arm's own, with --x-env as env.NAME
  Catalogue catalogue;
  Plan plan;          // cases in the order of the points, then those that cannot be compared
  std::string words;  // for people: worker and overrides
};

struct AbArms {
  AbArm a;
  AbArm b;
  std::vector<AbPoint> points = {};
  std::vector<AbMissing> missing = {};  // plan.cases beyond the points, in order
  std::vector<std::string> overridden = {};
  std::vector<std::string> warnings = {};
};

// Throws ConfigError; a mistake that only one arm makes names it.
[[nodiscard]] AbArms resolve_arms(const AbOptions& options, const Devices& devices,
                                  const Environment& environment);

}  // namespace stepbench::cli
