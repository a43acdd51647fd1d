// SPDX-License-Identifier: Apache-2.0
// How far launches of one program lie apart because each measured few steps, by the blocks of steps
// inside their windows. What lies apart further, the machine did. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/record/reader.h"

namespace stepbench::compare {

struct WindowSpread {
  double relative_sd = 0;  // of the mean step of a launch
  std::int64_t steps = 0;  // of a launch
};

// Nothing where the launches have too few steps to tell.
[[nodiscard]] std::optional<WindowSpread> window_spread(
    std::span<const record::Launch* const> launches);

}  // namespace stepbench::compare
