// SPDX-License-Identifier: Apache-2.0
#include "harness/base/clock.h"

#include <chrono>

namespace stepbench {

std::int64_t HostClock::now_ns() const noexcept {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(since).count();
}

}  // namespace stepbench
