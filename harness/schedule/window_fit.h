// SPDX-License-Identifier: Apache-2.0
// How long a window must be where the workers of a loader deliver in turns. Pure; any thread.
#pragma once

#include <cstdint>

namespace stepbench::schedule {

// The least multiple of `block` that is not below `steps`.
[[nodiscard]] std::int64_t rounded_up(std::int64_t steps, std::int64_t block);

// Relative standard deviation over launches of time / steps, of a loop that its loader holds up:
// `batch_cv` is that of what one batch costs its worker.
[[nodiscard]] double window_sd(double batch_cv, std::int64_t workers, std::int64_t steps);
// The steps that bring it down to `sd`.
[[nodiscard]] std::int64_t steps_for_sd(double batch_cv, std::int64_t workers, double sd);

}  // namespace stepbench::schedule
