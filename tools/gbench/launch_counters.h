// SPDX-License-Identifier: Apache-2.0
// What one launch says, as a Google Benchmark reports it. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "harness/record/reader.h"

namespace stepbench::gbench {

struct LaunchNumbers {
  std::optional<double> step_ns = {};  // what the repetition took; nothing: `reason` says why
  std::string reason = {};
  bool skipped = false;
  // As in exported JSON: harness/report/exports.h.
  std::map<std::string, double> counters = {};
};

[[nodiscard]] LaunchNumbers numbers_of(const record::Launch& launch);

}  // namespace stepbench::gbench
