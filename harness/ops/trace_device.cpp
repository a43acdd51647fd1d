// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/trace_device.h"

#include <algorithm>
#include <string_view>

namespace stepbench::ops {

bool is_of_nvidia(const TraceDevice& device) {
  constexpr int kWarp = 32;
  constexpr std::string_view kOthers[] = {"AMD", "Radeon", "Instinct", "gfx", "Intel"};
  return device.compute_major > 0 && device.warp_size <= kWarp &&
         std::ranges::none_of(kOthers, [&](std::string_view maker) {
           return device.name.find(maker) != std::string::npos;
         });
}

}  // namespace stepbench::ops
