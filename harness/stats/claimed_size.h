// SPDX-License-Identifier: Apache-2.0
// The size of an effect that was claimed because its estimate lay beyond a bound. Such an estimate
// is too large more often than too small: where chance makes it smaller there is no claim. Pure;
// any thread.
#pragma once

#include <span>

#include "harness/stats/interval.h"

namespace stepbench::stats {

// One look at data that come in: the effect is claimed where the mean of so many values lies above
// `bound` (infinity: this look could claim nothing).
struct ClaimLook {
  double values = 0;
  double bound = 0;
  bool claimed = false;  // and went on all the same; of the last look it is always true
};

// The effect at which an estimate this large or smaller would be seen in half of all series of
// looks that do what these did: go on as often, and claim at the last one. `estimate` is normal
// with `standard_error`; what the earlier looks saw is a Brownian bridge to it, which does not
// depend on the effect (Fan, DeMets and Lan 2004, "Conditional bias of point estimates following a
// group sequential test"). Never outside `range`: an effect below its low end would not be claimed
// rightly. Values of the looks ascend.
[[nodiscard]] double size_given_claim(double estimate, double standard_error,
                                      std::span<const ClaimLook> looks, const Interval& range);

}  // namespace stepbench::stats
