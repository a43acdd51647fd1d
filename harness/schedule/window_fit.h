// SPDX-License-Identifier: Apache-2.0
// Required window length if a loader's workers deliver in turns. Pure; any thread.
#pragma once

#include <cstdint>

namespace stepbench::schedule {

// The smallest multiple of `block` that is at least `steps`.
[[nodiscard]] std::int64_t rounded_up(std::int64_t steps, std::int64_t block);

// Relative standard deviation over launches of time / steps, for a loop limited by its loader.
// `batch_cv`: the coefficient of variation of a batch's cost in its worker.
[[nodiscard]] double window_sd(double batch_cv, std::int64_t workers, std::int64_t steps);
// The number of steps that reduces it to `sd`.
[[nodiscard]] std::int64_t steps_for_sd(double batch_cv, std::int64_t workers, double sd);

}  // namespace stepbench::schedule
