// SPDX-License-Identifier: Apache-2.0
// All results read from one trace, as values: where the time of its steps went and what ran in
// them. Values that the trace does not carry are absent with a reason, never zero. Pure; any
// thread.
//
//   const Trace trace = read_trace(path);
//   const Analysis analysis = analyse(trace);
//   if (!analysis.blocked()) show(analysis.idle.front());
//
// Names are indices into the tables of the trace. Times are on the trace's clock.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/traces/internal/device_work.h"
#include "harness/traces/internal/host_work.h"
#include "harness/traces/internal/idle.h"
#include "harness/traces/internal/integrity.h"
#include "harness/traces/internal/steps.h"
#include "harness/traces/internal/summary.h"

namespace stepbench::traces {

// Number of rows of each kind in the trace.
struct TraceCounts {
  std::int64_t ops = 0;
  std::int64_t annotations = 0;
  std::int64_t python = 0;
  std::int64_t calls = 0;
  std::int64_t device_rows = 0;
  std::int64_t syncs = 0;
  std::int64_t overhead = 0;
};

struct Analysis {
  TraceCounts counts = {};
  std::vector<int> devices = {};              // devices that ran work
  std::vector<IntegrityNote> integrity = {};  // errors first
  Steps steps = {};                           // window of all members below, unless noted otherwise
  std::vector<IdleReport> idle = {};      // one per device, then one for all devices; or the host's
  std::int64_t profiler_overhead_ns = 0;  // time spent by the profiler itself, in the counted steps
  ValueOrReason<DataLoading> data_loading = {};
  ValueOrReason<LoaderWork> loader_work = {};  // only for stepbench's own traces
  ValueOrReason<HostWork> host_work = {};
  HostWaits host_waits = {};
  ValueOrReason<Copies> copies = {};
  ValueOrReason<Kernels> kernels = {};        // whole trace and counted steps
  ValueOrReason<Efficiency> efficiency = {};  // whole trace and counted steps
  ValueOrReason<std::vector<CollectiveRow>> collectives = {};
  ValueOrReason<std::vector<OperatorRow>> operators = {};  // whole trace
  std::optional<double> eligible_share = {};
  ValueOrReason<std::vector<RuntimeCallRow>> runtime_calls = {};
  ValueOrReason<std::vector<MemoryPeak>> memory = {};  // whole trace
  ValueOrReason<Launches> launches = {};  // over rows_before_last_step(), like `queues`
  ValueOrReason<std::vector<LaunchQueue>> queues = {};
  std::vector<DeviceUse> device_use = {};  // whole trace

  // True if the trace cannot be trusted: comparisons reject it and commands exit with status 4.
  [[nodiscard]] bool blocked() const { return blocks_numbers(integrity); }
  // Returns the report of `device`; without one, the report for the whole: all devices together,
  // the only device, or the host. Null if no such device ran work.
  [[nodiscard]] const IdleReport* idle_of(std::optional<int> device) const;
};

struct AnalysisOptions {
  StepOptions steps = {};
  // Type of operators without recorded types; for stepbench's own traces it is in the case.
  ops::Dtype untyped = ops::Dtype::kUnknown;
};

[[nodiscard]] Analysis analyse(const Trace& trace, const AnalysisOptions& options = {});

}  // namespace stepbench::traces
