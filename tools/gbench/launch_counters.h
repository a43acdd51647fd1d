// SPDX-License-Identifier: Apache-2.0
// One launch as a Google Benchmark result. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/record/reader.h"

namespace stepbench::gbench {

struct LaunchNumbers {
  std::optional<double> step_ns = {};  // time of the repetition; nullopt: see `reason`
  std::string reason = {};
  bool skipped = false;
  // As in exported JSON, see harness/report/exports.h.
  std::map<std::string, double> counters = {};
};

[[nodiscard]] LaunchNumbers numbers_of(const record::Launch& launch);

}  // namespace stepbench::gbench
