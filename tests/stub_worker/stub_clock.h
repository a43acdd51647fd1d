// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "harness/base/clock.h"

namespace stepbench {

// Time that passes only by the script: durations are exact and cost nothing. With `real`, the
// host's time.
class StubClock final : public Clock {
 public:
  // `slower`: a factor on all scripted times.
  explicit StubClock(int control_descriptor = -1, double slower = 1)
      : control_descriptor_(control_descriptor), slower_(slower) {}
  [[nodiscard]] std::int64_t now_ns() const noexcept override {
    return real_ ? host_.now_ns() : virtual_ns_;
  }
  void pass(std::int64_t ns) {
    ns = std::llround(static_cast<double>(ns) * slower_);
    if (!real_) {
      virtual_ns_ += ns;
      return;
    }
    const std::int64_t end = host_.now_ns() + ns;
    while (host_.now_ns() < end) {
    }
  }
  void use_host() { real_ = true; }
  // The worker's channel, for faults on it.
  [[nodiscard]] int control_descriptor() const { return control_descriptor_; }

 private:
  HostClock host_;
  std::int64_t virtual_ns_ = host_.now_ns();
  int control_descriptor_;
  double slower_;
  bool real_ = false;
};

}  // namespace stepbench
