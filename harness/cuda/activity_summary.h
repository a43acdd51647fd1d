// SPDX-License-Identifier: Apache-2.0
// Summary of device activity per step in the recorded steps of a log. Pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/ops/op_log.h"

namespace stepbench {
class ReportSink;
}  // namespace stepbench

namespace stepbench::cuda {

// Sums over all steps of the log; divide by `steps`.
struct ActivitySummary {
  std::int64_t steps = 0;
  // From the first step's start to the last one's end, or to the end of the work that it launched.
  std::int64_t span_ns = 0;
  std::int64_t busy_ns = 0;  // part of span_ns with work on any stream of the device
  std::int64_t kernels = 0;
  std::int64_t launches = 0;  // calls that start kernels or graphs
  std::int64_t copies = 0;
  std::optional<std::int64_t> copied_bytes = 0;  // nullopt: the collector does not record it
  std::int64_t pageable_copies = 0;  // between host and device, from or to pageable memory
  // Waits of the host for an event, stream or context. nullopt: the host made blocking calls, but
  // the collector recorded no waits.
  std::optional<std::int64_t> synchronisations = 0;
  std::int64_t synchronisation_ns = 0;
};

// Covers calls and waits between the first and the last step mark, and the device work that these
// calls started; everything if there are no marks. Work without a known call counts by its start
// time.
[[nodiscard]] ActivitySummary summarise_activities(const ops::OpLog& log);

// Reports device_busy_ns, device_idle_ns, kernels, launches, copies, copied_bytes, pageable_copies,
// synchronisations, synchronisation_ns, each per step. Reports nothing if no device work was
// recorded.
void report(const ActivitySummary& summary, ReportSink& sink);

}  // namespace stepbench::cuda
