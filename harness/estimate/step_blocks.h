// SPDX-License-Identifier: Apache-2.0
// The steps of a launch in blocks: single steps are alike or in lockstep, the means of blocks tell
// how much a launch's number owes to chance. Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/record/reader.h"

namespace stepbench::estimate {

struct StepBlocks {
  std::vector<double> means = {};  // of consecutive blocks, by time; no block crosses windows
  std::size_t length = 1;          // steps of a block: whole turns of the loader's workers
  std::int64_t steps = 0;          // of all windows
};

// About twenty blocks; by the device's clock where the launch has it. For a latency case (see
// LaunchEstimate::latency) the blocks hold medians of latencies.
[[nodiscard]] StepBlocks step_blocks(const record::Launch& launch);

}  // namespace stepbench::estimate
