// SPDX-License-Identifier: Apache-2.0
// Splits the steps of a launch into blocks: single steps may be correlated or in lockstep, so the
// noise of a launch is estimated from block means. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench::estimate {

struct StepBlocks {
  std::vector<double> means = {};  // of consecutive blocks, by time; no block crosses windows
  std::size_t length = 1;          // steps per block: whole turns of the loader's workers
  std::int64_t steps = 0;          // in all windows
};

// About twenty blocks; by the device's clock if the launch has it. For a latency case
// (LaunchEstimate::latency) the blocks hold medians of latencies.
[[nodiscard]] StepBlocks step_blocks(const record::Launch& launch);

}  // namespace stepbench::estimate
