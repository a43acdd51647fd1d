// SPDX-License-Identifier: Apache-2.0
// Where a window lies among the borders of epochs: either it holds whole epochs, or no border at
// all. A border is a step that starts an epoch and waits for its first batch; the first is
// `steps_per_epoch` steps after the launch's first step. Pure; any thread.
#pragma once

#include <cstdint>

namespace stepbench::schedule {

struct EpochSteps {
  std::int64_t per_epoch = 0;  // from one border to the next; 0: there is none
  std::int64_t refill = 0;     // after a border, until the loader's queue stands as it will
  bool only_whole = false;     // other borders lie between: windows without one are not looked for
};

struct EpochFit {
  std::int64_t active = 0;  // steps of the window
  std::int64_t epochs = 0;  // whole ones in it, wherever it begins; 0: it must hold no border
};

// Whole epochs where no epoch is long enough for `active` steps that are clear of its borders. A
// batch that is fetched a step ahead has its wait one step before the border: that is kept clear.
[[nodiscard]] EpochFit fit_epochs(const EpochSteps& steps, std::int64_t active);

// How many steps later a window of `active` steps must begin than at step `begin`, so that neither
// a border nor the refill after one lies in it. For a fit without whole epochs.
[[nodiscard]] std::int64_t steps_past_border(const EpochSteps& steps, std::int64_t active,
                                             std::int64_t begin);

}  // namespace stepbench::schedule
