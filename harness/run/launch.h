// SPDX-License-Identifier: Apache-2.0
// One launch: a fresh worker process measures one case. Call on the program's main thread, with
// Interrupts alive and become_subreaper() done; when it returns, nothing that the worker started is
// left.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/base/outcome.h"
#include "harness/machine/device_state.h"
#include "harness/protocol/messages.h"
#include "harness/run/background_load.h"
#include "harness/run/interrupts.h"
#include "harness/run/launch_limits.h"
#include "harness/run/launch_rules.h"
#include "harness/run/worker_process.h"

namespace stepbench::run {

struct LaunchRequest {
  SpawnRequest spawn;
  protocol::CaseMessage message;
  LaunchLimits limits = {};
  LaunchRules rules = {};
};

// What a launch may use of the outside world.
struct LaunchContext {
  const Clock& clock;
  Interrupts& interrupts;
  std::filesystem::path root = "/";               // of /proc and /sys
  const machine::NvmlSession* devices = nullptr;  // null: there are none to watch
  const BackgroundLoad* background = nullptr;     // that runs beside it
  // About once a second.
  std::function<void(const std::string& stage, std::int64_t last_cycle_step_ns)> progress = {};
};

struct LaunchResult {
  Outcome outcome;
  bool interrupted = false;  // by SIGINT or SIGTERM before its final line: no row, to be repeated
  std::string stage;         // where it was when it ended
  std::optional<protocol::Hello> hello;
  record::LaunchReport report;
  std::vector<record::CycleSamples> samples;
  std::vector<ops::OpFrame> ops;
  Fields machine;
  std::set<pid_t> processes;  // that were seen in the worker's tree
  std::string output;
  std::int64_t wall_ns = 0;
};

// Throws ConfigError when the worker program cannot be run at all.
[[nodiscard]] LaunchResult run_launch(const LaunchRequest& request, const LaunchContext& context);

}  // namespace stepbench::run
