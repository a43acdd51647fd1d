// SPDX-License-Identifier: Apache-2.0
// Fetches of data on the step thread: how long they took, and how much of that the device waited.
// Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analyze/steps.h"
#include "harness/analyze/summary.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

struct LoaderCall {
  TimeSpan at = {};
  std::uint32_t name =
      ops::kNoIndex;  // Trace::names; trace/name_facts.h tells the iterator's class
  std::optional<std::size_t> step = {};  // index of the step in whose window it begins
  std::int64_t exposed_ns = 0;           // while no device worked; all of it without device rows
};

struct DataLoading {
  std::vector<LoaderCall> calls = {};  // by time, also those outside all steps
  std::int64_t first_ns = 0;           // of the first call, which starts workers
  Summary later = {};                  // durations of all others, in ns
  Summary interval = {};               // from one call's start to the next one's, in ns
};

// Absent where the step thread fetches nothing.
[[nodiscard]] ValueOrReason<DataLoading> find_data_loading(const Timeline& timeline,
                                                           const Steps& steps);

}  // namespace stepbench::analyze
