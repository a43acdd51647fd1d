// SPDX-License-Identifier: Apache-2.0
// Registers each case of a plan as a benchmark whose repetition is one launch, with the counters of
// the launch.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/record/reader.h"
#include "tools/gbench/launch_hand_over.h"

namespace stepbench::gbench {

struct RegisterOptions {
  bool in_unit = false;  // set by --benchmark_time_unit; else milliseconds
  bool repeats = false;  // set by --benchmark_repetitions; else the case's `launches`
  std::function<bool(const std::string& name)> wanted = {};
};

// Returns the names of the wanted cases. `plan` and `queue` must outlive the benchmarks.
[[nodiscard]] std::vector<std::string> register_cases(const plan::Plan& plan, LaunchHandOver& queue,
                                                      const RegisterOptions& options);

struct LaunchNumbers {
  std::optional<double> step_ns = {};  // time of the repetition; nullopt: see `reason`
  std::string reason = {};
  bool skipped = false;
  // As in exported JSON, see harness/report/exports.h.
  std::map<std::string, double> counters = {};
};

[[nodiscard]] LaunchNumbers numbers_of(const record::Launch& launch);

}  // namespace stepbench::gbench
