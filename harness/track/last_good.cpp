// SPDX-License-Identifier: Apache-2.0
#include "harness/track/last_good.h"

namespace stepbench {

std::optional<std::size_t> last_good(std::span<const double> segment, const ScreenOptions& options,
                                     const ScreenAnswer& answer,
                                     const std::function<bool(std::size_t)>& usable) {
  std::optional<std::size_t> quiet;
  for (std::size_t i = answer.since; i-- > 0;) {
    const bool good_side = answer.higher ? segment[i] <= answer.usual : segment[i] >= answer.usual;
    if (!good_side && quiet) continue;
    if (usable && !usable(i)) continue;
    if (screen(segment.first(i + 1), options).fired()) continue;
    if (good_side) return i;
    quiet = i;
  }
  return quiet;
}

}  // namespace stepbench
