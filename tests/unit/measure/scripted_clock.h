// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/base/clock.h"

namespace stepbench {

// Stands still until the test lets time pass.
class ScriptedClock final : public Clock {
 public:
  [[nodiscard]] std::int64_t now_ns() const noexcept override { return now_ns_; }
  void pass(std::int64_t ns) { now_ns_ += ns; }

 private:
  std::int64_t now_ns_ = 1'000'000;
};

}  // namespace stepbench
