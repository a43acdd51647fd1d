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
  // "data_wait_ns", "samples_per_s", "p99_ns", "peak_rss_bytes": by the names of results.
  std::map<std::string, double> counters = {};
};

[[nodiscard]] LaunchNumbers numbers_of(const Launch& launch);

}  // namespace stepbench::gbench
