// SPDX-License-Identifier: Apache-2.0
// Limits on a worker's time, output and memory. Times in nanoseconds. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/base/pass.h"
#include "harness/base/resolved_case.h"
#include "harness/run/stall_watch.h"

namespace stepbench::run {

struct LaunchLimits {
  std::int64_t wall_ns = 600 * kNsPerS;
  std::int64_t join_ns = 30 * kNsPerS;  // from a launcher's start until all ranks have joined
  std::int64_t set_up_ns = 120 * kNsPerS;
  StallRule stall = {};  // between two messages in warm-up and active
  std::int64_t tear_down_ns = 30 * kNsPerS;
  std::int64_t stopped_ns = 10 * kNsPerS;  // by SIGSTOP or the like; nothing here continues it
  std::int64_t grace_ns = 5 * kNsPerS;     // between SIGTERM and SIGKILL
  std::uint64_t protocol_bytes = std::uint64_t{1} << 30;
  std::optional<std::int64_t> memory_bytes = {};  // for its process tree; see memory_limit.h
};

// Computes limits from the options limits.* and schedule.*. A worker is silent for a whole cycle,
// so limits.step_s applies to each of its steps.
[[nodiscard]] LaunchLimits limits_of(const ResolvedCase& resolved, Pass pass = Pass::kTiming);

}  // namespace stepbench::run
