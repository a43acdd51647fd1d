// SPDX-License-Identifier: Apache-2.0
// Detects loader queues that were not as full at the end of a window as at its start. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// A window consumes batches that were ready before it without producing them, and vice versa: the
// rate of production lies between both counts.
struct UnevenQueue {
  double gained = 0;  // batches ready at a window's end minus those at its start
  double low_ns = 0;  // step in steady state
  double high_ns = 0;
  std::int64_t more_warmup = 0;  // additional warm-up steps that level the queue
};
// nullopt if the queue was level, the step does not wait for data, or a launch does not record it.
[[nodiscard]] std::optional<UnevenQueue> uneven_queue(const CaseRow& row);

}  // namespace stepbench::estimate
