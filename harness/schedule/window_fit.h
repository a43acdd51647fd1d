// SPDX-License-Identifier: Apache-2.0
// The length of a window if the workers of a loader deliver in turns, and its position among the
// borders of epochs. Pure; any thread.
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

// Position among the borders of epochs: a window must contain whole epochs, or no border. A border
// is a step that starts an epoch and waits for its first batch; the first border is
// `steps_per_epoch` steps after the launch's first step.

struct EpochSteps {
  std::int64_t per_epoch = 0;  // from one border to the next; 0: no borders
  std::int64_t refill = 0;     // after a border, until the loader's queue is steady
  bool only_whole = false;     // other borders lie in between: never place windows between borders
};

struct EpochFit {
  std::int64_t active = 0;  // steps in the window
  std::int64_t epochs = 0;  // whole epochs in it, wherever it begins; 0: it must contain no border
};

// Uses whole epochs if no epoch has `active` steps clear of its borders. A batch fetched one step
// ahead is waited for one step before the border: that step is kept clear as well.
[[nodiscard]] EpochFit fit_epochs(const EpochSteps& steps, std::int64_t active);

// Number of steps to delay a window of `active` steps that would begin at step `begin`, so that it
// contains neither a border nor the refill after one. For a fit without whole epochs.
[[nodiscard]] std::int64_t steps_past_border(const EpochSteps& steps, std::int64_t active,
                                             std::int64_t begin);

}  // namespace stepbench::schedule
