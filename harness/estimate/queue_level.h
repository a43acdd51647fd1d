// SPDX-License-Identifier: Apache-2.0
// Whether a loader's queue ended its windows as full as it began them. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// Batches that lay ready before the window are taken in it without having been made in it, and the
// other way round: the rate of making them lies between both counts.
struct UnevenQueue {
  double gained = 0;  // batches ready at a window's end beyond those at its begin
  double low_ns = 0;  // of a step in steady state
  double high_ns = 0;
  std::int64_t more_warmup = 0;  // steps that even it out
};
// nullopt where the queue was level, where the step does not wait for data, and where a launch does
// not say.
[[nodiscard]] std::optional<UnevenQueue> uneven_queue(const CaseRow& row);

}  // namespace stepbench::estimate
