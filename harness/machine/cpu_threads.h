// SPDX-License-Identifier: Apache-2.0
// Checks that the threads of one operation fit on the cores. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/findings/finding.h"

namespace stepbench::machine {

// For a step on the CPU: `intra_op` threads share each large operation, on the `cores` that this
// process may use.
[[nodiscard]] std::optional<Finding> crowded_threads(std::int64_t intra_op, std::int64_t cores);

}  // namespace stepbench::machine
