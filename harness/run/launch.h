// SPDX-License-Identifier: Apache-2.0
// One launch: a fresh worker process measures one case. Call on the program's main thread, with
// Interrupts alive and become_subreaper() done; when it returns, nothing that the worker started is
// left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/outcome.h"
#include "harness/machine/device_state.h"
#include "harness/protocol/messages.h"
#include "harness/run/interrupts.h"
#include "harness/run/worker_process.h"

namespace stepbench {

inline constexpr std::int64_t kNsPerS = 1'000'000'000;

struct LaunchLimits {
  std::int64_t wall_ns = 600 * kNsPerS;
  std::int64_t set_up_ns = 120 * kNsPerS;
  std::int64_t silence_ns = 3600 * kNsPerS;  // between two messages in warm-up and active
  std::int64_t tear_down_ns = 30 * kNsPerS;
  std::int64_t grace_ns = 5 * kNsPerS;  // between SIGTERM and SIGKILL
  std::uint64_t protocol_bytes = std::uint64_t{1} << 30;
};

// From the options limits.* and schedule.*: a worker is silent for a whole cycle, so that
// limits.step_s counts once for each step of it.
[[nodiscard]] LaunchLimits limits_of(const ResolvedCase& resolved);

struct LaunchRequest {
  SpawnRequest spawn;
  protocol::CaseMessage message;
  LaunchLimits limits = {};
};

// What a launch may use of the outside world.
struct LaunchSurroundings {
  const Clock& clock;
  Interrupts& interrupts;
  std::filesystem::path root = "/";      // of /proc and /sys
  const NvmlSession* devices = nullptr;  // null: there are none to watch
  std::function<void(const std::string& stage, std::int64_t last_cycle_step_ns)> progress =
      {};  // about once a second
};

struct LaunchResult {
  Outcome outcome;
  bool interrupted = false;  // by SIGINT or SIGTERM before its final line: no row, to be repeated
  std::string stage;         // where it was when it ended
  std::optional<protocol::Hello> hello;
  LaunchReport report;
  std::vector<protocol::SamplesMessage> samples;
  std::vector<OpFrame> ops;
  Fields machine;
  std::string output;
  std::int64_t wall_ns = 0;
};

// Throws ConfigError when the worker program cannot be run at all.
[[nodiscard]] LaunchResult run_launch(const LaunchRequest& request,
                                      const LaunchSurroundings& surroundings);

}  // namespace stepbench
