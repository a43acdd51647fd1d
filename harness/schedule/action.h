// SPDX-License-Identifier: Apache-2.0
// The role of a step in the profiler's schedule.
#pragma once

#include <cstdint>

namespace stepbench {

// The four actions of torch.profiler's schedule.
enum class Action : std::uint8_t { kNone, kWarmup, kRecord, kRecordAndSave };

}  // namespace stepbench
