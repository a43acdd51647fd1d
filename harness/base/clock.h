// SPDX-License-Identifier: Apache-2.0
// The clock behind all timings. Any thread.
#pragma once

#include <cstdint>

namespace stepbench {

// Monotonic nanoseconds. Passed as a parameter everywhere, so that tests can script time.
class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;
  [[nodiscard]] virtual std::int64_t now_ns() const noexcept = 0;  // any thread
};

// CLOCK_MONOTONIC, comparable between processes of one machine.
class HostClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t now_ns() const noexcept override;
};

}  // namespace stepbench
