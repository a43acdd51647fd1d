// SPDX-License-Identifier: Apache-2.0
// Clocks for tests. Any thread.
#pragma once

#include <atomic>

#include "harness/base/clock.h"

namespace stepbench {

// Time advances only when the test calls pass() or set().
class ScriptedClock final : public Clock {
 public:
  ScriptedClock() = default;
  explicit ScriptedClock(std::int64_t now_ns) : now_ns_(now_ns) {}
  [[nodiscard]] std::int64_t now_ns() const noexcept override { return now_ns_; }
  void pass(std::int64_t ns) { now_ns_ += ns; }
  void set(std::int64_t ns) { now_ns_ = ns; }

 private:
  std::atomic<std::int64_t> now_ns_ = 1'000'000;
};

// Each reading is `step_ns` later than the previous one.
class TickClock final : public Clock {
 public:
  TickClock() = default;
  explicit TickClock(std::int64_t step_ns) : step_ns_(step_ns) {}
  [[nodiscard]] std::int64_t now_ns() const noexcept override { return now_ns_ += step_ns_; }
  [[nodiscard]] std::int64_t read_last() const { return now_ns_; }
  void set(std::int64_t ns) { now_ns_ = ns; }

 private:
  std::int64_t step_ns_ = 1;
  mutable std::atomic<std::int64_t> now_ns_ = 0;
};

}  // namespace stepbench
