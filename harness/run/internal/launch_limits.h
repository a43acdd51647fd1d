// SPDX-License-Identifier: Apache-2.0
// Limits of a worker: its time, its silence before it counts as hung, its output and its memory.
// Times in nanoseconds. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/base/pass.h"
#include "harness/base/resolved_case.h"
#include "harness/protocol/messages.h"

namespace stepbench::run {

// The limit on silence in warm-up and windows: 10 s plus 20 times the expected duration of the
// steps until its next message; one step if its warm-up sends signs of life.

inline constexpr std::int64_t kNsPerS = 1'000'000'000;

struct StallRule {
  std::optional<std::int64_t> fixed_ns = {};  // limits.stall_s; nullopt: auto
  std::int64_t step_ns = 60 * kNsPerS;        // limits.step_s, used while no step time is known
  std::int64_t lead_steps = 0;                // steps before a window, from the schedule
  std::int64_t refill_steps = 0;              // steps that a window waits after an epoch border
  std::int64_t window_steps = 1;              // from the schedule
  // Host time is the work itself: no device runs asynchronously.
  bool host_only = false;
  int patience = 1;                // factor for passes whose observation slows steps down
  bool automatic = true;           // false: only by step_ns, e.g. under another program
  std::int64_t usual_step_ns = 0;  // from an earlier launch of the case; 0: none
};

class StallWatch {
 public:
  explicit StallWatch(const StallRule& rule) : rule_(rule) {}

  void stage(const protocol::StageMessage& message, std::int64_t now_ns);
  void cycle(std::int64_t mean_step_ns);  // called when a window ended; host clock

  struct Limit {
    std::int64_t silence_ns = 0;
    std::string name;  // "limits.stall_s: auto, 10 s + 20 x 1.2 ms per step x 50 steps"
  };
  [[nodiscard]] Limit limit() const;
  [[nodiscard]] std::int64_t silence_ns() const;

 private:
  enum class Wait : std::uint8_t { kForWindow, kForCycle, kForEnd };
  struct Expected {
    std::int64_t step_ns = 0;
    std::int64_t steps = 0;
  };
  [[nodiscard]] std::optional<Expected> expected() const;
  [[nodiscard]] std::int64_t by_step_ns() const;
  [[nodiscard]] std::int64_t by_expected_ns(const Expected& expected) const;

  StallRule rule_;
  Wait wait_ = Wait::kForWindow;
  bool repeats_ = false;  // the warm-up sends signs of life
  bool paused_ = false;   // no step runs, as while a script evaluates
  std::optional<std::int64_t> warmup_began_ns_;
  std::int64_t window_steps_ = 0;      // reported by the worker
  std::int64_t reported_step_ns_ = 0;  // from its last stage message, or derived
  std::int64_t cycle_step_ns_ = 0;
};

struct LaunchLimits {
  std::int64_t wall_ns = 600 * kNsPerS;
  std::int64_t join_ns = 30 * kNsPerS;  // from a launcher's start until all ranks have joined
  std::int64_t set_up_ns = 120 * kNsPerS;
  StallRule stall = {};  // between two messages in warm-up and active
  std::int64_t tear_down_ns = 30 * kNsPerS;
  std::int64_t stopped_ns = 10 * kNsPerS;  // by SIGSTOP or the like; nothing here continues it
  std::int64_t grace_ns = 5 * kNsPerS;     // between SIGTERM and SIGKILL
  std::uint64_t protocol_bytes = std::uint64_t{1} << 30;
  std::optional<std::int64_t> memory_bytes = {};  // for its process tree; see worker_launch.h
};

// Computes limits from the options limits.* and schedule.*. A worker is silent for a whole cycle,
// so limits.step_s applies to each of its steps.
[[nodiscard]] LaunchLimits limits_of(const ResolvedCase& resolved, Pass pass = Pass::kTiming);

}  // namespace stepbench::run
