// SPDX-License-Identifier: Apache-2.0
// Data fetches on the step thread: their duration, and the time the device waited for them. Pure;
// any thread.
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
      ops::kNoIndex;  // Trace::names; trace/name_facts.h gives the iterator's class
  std::optional<std::size_t> step = {};  // index of the step whose window it begins in
  std::int64_t exposed_ns = 0;           // while no device worked; everything without device rows
};

struct DataLoading {
  std::vector<LoaderCall> calls = {};  // sorted by time, including those outside all steps
  std::int64_t first_ns = 0;           // duration of the first call, which starts the workers
  Summary later = {};                  // durations of all other calls, in ns
  Summary interval = {};               // between the starts of consecutive calls, in ns
};

// Absent if the step thread fetches no data.
[[nodiscard]] ValueOrReason<DataLoading> find_data_loading(const Timeline& timeline,
                                                           const Steps& steps);

}  // namespace stepbench::analyze
