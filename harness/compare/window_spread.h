// SPDX-License-Identifier: Apache-2.0
// Spread between launches of one program that is explained by the finite number of steps in their
// windows, estimated from blocks of steps. Any further spread is due to the machine. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "harness/record/reader.h"

namespace stepbench::compare {

struct WindowSpread {
  double relative_sd = 0;  // of a launch's mean step
  std::int64_t steps = 0;  // per launch
};

// nullopt if the launches have too few steps.
[[nodiscard]] std::optional<WindowSpread> window_spread(
    std::span<const record::Launch* const> launches);

}  // namespace stepbench::compare
