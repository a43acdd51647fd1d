// SPDX-License-Identifier: Apache-2.0
// What the device did in the recorded steps of a log, per step. Pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/ops/op_log.h"

namespace stepbench {
class ReportSink;
}  // namespace stepbench

namespace stepbench::cuda {

// Sums over the log's steps; `steps` divides them.
struct ActivitySummary {
  std::int64_t steps = 0;
  // First step's start to the last one's end, or to the end of the work that it started.
  std::int64_t span_ns = 0;
  std::int64_t busy_ns = 0;  // of span_ns: something ran on the device, on any stream
  std::int64_t kernels = 0;
  std::int64_t launches = 0;  // calls that start kernels or graphs
  std::int64_t copies = 0;
  std::optional<std::int64_t> copied_bytes = 0;  // nothing: the collector does not say
  std::int64_t pageable_copies = 0;  // between host and device, from or to pageable memory
  // For which the host waited: event, stream or context. Nothing: the collector records none,
  // though the host made calls that wait.
  std::optional<std::int64_t> synchronisations = 0;
  std::int64_t synchronisation_ns = 0;
};

// Of the calls and waits between the first and the last mark of a step, and of the device work that
// these calls started; all when there are no marks. Work without a known call counts by its start.
[[nodiscard]] ActivitySummary summarise_activities(const ops::OpLog& log);

// device_busy_ns, device_idle_ns, kernels, launches, copies, copied_bytes, pageable_copies,
// synchronisations, synchronisation_ns: each per step. Nothing when no device work was recorded.
void report(const ActivitySummary& summary, ReportSink& sink);

}  // namespace stepbench::cuda
