// SPDX-License-Identifier: Apache-2.0
// How long a worker may say nothing in warm-up and windows before it is taken for hung: 10 s and 20
// times what the steps until its next message should take; one step where a warm-up gives signs of
// life. Times in nanoseconds. Pure; one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "harness/protocol/messages.h"

namespace stepbench::run {

inline constexpr std::int64_t kNsPerS = 1'000'000'000;

struct StallRule {
  std::optional<std::int64_t> fixed_ns = {};  // limits.stall_s; nullopt: auto
  std::int64_t step_ns = 60 * kNsPerS;        // limits.step_s, where no time is known
  std::int64_t lead_steps = 0;                // before a window, as the schedule says
  std::int64_t refill_steps = 0;              // a window waits so long after a border of epochs
  std::int64_t window_steps = 1;              // as the schedule says
  // What the worker and the controller see pass is the work itself: no device works on behind it.
  bool host_alone = false;
  int patience = 1;                // passes that observe make steps slower than those before them
  bool automatic = true;           // false: by step_ns alone, as under another program
  std::int64_t usual_step_ns = 0;  // of an earlier launch of the case; 0: none
};

class StallWatch {
 public:
  explicit StallWatch(const StallRule& rule) : rule_(rule) {}

  void stage(const protocol::StageMessage& message, std::int64_t now_ns);
  void cycle(std::int64_t mean_step_ns);  // a window ended; by the host's clock

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
  bool repeats_ = false;  // its warm-up gives signs of life
  std::optional<std::int64_t> warmup_began_ns_;
  std::int64_t window_steps_ = 0;  // as the worker says
  std::int64_t told_step_ns_ = 0;  // by its last stage
  std::int64_t cycle_step_ns_ = 0;
};

}  // namespace stepbench::run
