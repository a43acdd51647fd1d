// SPDX-License-Identifier: Apache-2.0
// What is special about a step: the bits of the `flags` column of samples. They stand on disk (see
// results/SCHEMA.md): do not renumber.
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
  // Waited for the loader's first batch.
  kFirstBatch = 1 << 3,
};

struct StepFlagName {
  std::int64_t bits = 0;
  std::string_view name;
};

// For people. The last row stands for bits of a later version.
inline constexpr StepFlagName kStepFlagNames[] = {
    {kEpochBorder, "epoch border"},
    {kPartialBatch, "partial batch"},
    {kThrottled, "throttled"},
    {kFirstBatch, "first batch"},
    {~std::int64_t{kEpochBorder | kPartialBatch | kThrottled | kFirstBatch}, "unknown flag"}};

}  // namespace stepbench
