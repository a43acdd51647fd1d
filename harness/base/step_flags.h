// SPDX-License-Identifier: Apache-2.0
// Bits of the `flags` column of samples: special steps. Written to disk (see results/SCHEMA.md): do
// not renumber.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace stepbench {

enum StepFlag : std::int64_t {
  // Its data_wait holds an epoch gap.
  kEpochBorder = 1 << 0,
  kPartialBatch = 1 << 1,
  kThrottled = 1 << 2,
  // Waited for the first batch of the loader.
  kFirstBatch = 1 << 3,
};

struct StepFlagName {
  std::int64_t bits = 0;
  std::string_view name;
};

// Names for display. The last row covers bits set by a later version.
inline constexpr StepFlagName kStepFlagNames[] = {
    {kEpochBorder, "epoch border"},
    {kPartialBatch, "partial batch"},
    {kThrottled, "throttled"},
    {kFirstBatch, "first batch"},
    {~std::int64_t{kEpochBorder | kPartialBatch | kThrottled | kFirstBatch}, "unknown flag"}};

}  // namespace stepbench
