// SPDX-License-Identifier: Apache-2.0
// All that is read from one trace, as values: where the time of its steps went, and what ran in
// them. What the trace cannot tell is absent with a reason, never zero. Pure; any thread.
//
//   const Trace trace = read_trace(path);
//   const Analysis analysis = analyse(trace);
//   if (!analysis.blocked()) show(analysis.idle.front());
//
// Names are indices into the tables of the trace, which has to be at hand to print them. Times are
// those of the trace.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analyze/collectives.h"
#include "harness/analyze/copies.h"
#include "harness/analyze/data_loading.h"
#include "harness/analyze/device_memory.h"
#include "harness/analyze/device_use.h"
#include "harness/analyze/efficiency.h"
#include "harness/analyze/host_waits.h"
#include "harness/analyze/host_work.h"
#include "harness/analyze/idle.h"
#include "harness/analyze/integrity.h"
#include "harness/analyze/kernels.h"
#include "harness/analyze/launches.h"
#include "harness/analyze/loader_work.h"
#include "harness/analyze/operators.h"
#include "harness/analyze/runtime_calls.h"
#include "harness/analyze/steps.h"
#include "harness/analyze/value_or_reason.h"

namespace stepbench::analyze {

// Rows of each kind, as the trace has them.
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
  std::vector<int> devices = {};              // that ran work
  std::vector<IntegrityNote> integrity = {};  // errors first
  Steps steps = {};                           // window of all that follows, where it says no other
  std::vector<IdleReport> idle = {};          // of each device, then of all; or the host's
  std::int64_t profiler_overhead_ns = 0;      // in the counted steps: the profiler's own work
  ValueOrReason<DataLoading> data_loading = {};
  ValueOrReason<LoaderWork> loader_work = {};  // of own traces
  ValueOrReason<HostWork> host_work = {};
  HostWaits host_waits = {};
  ValueOrReason<Copies> copies = {};
  ValueOrReason<Kernels> kernels = {};        // whole trace, and the counted steps
  ValueOrReason<Efficiency> efficiency = {};  // the same
  ValueOrReason<std::vector<CollectiveRow>> collectives = {};
  ValueOrReason<std::vector<OperatorRow>> operators = {};  // whole trace
  std::optional<double> eligible_share = {};               // Operators::eligible_share
  ValueOrReason<std::vector<RuntimeCallRow>> runtime_calls = {};
  ValueOrReason<std::vector<MemoryPeak>> memory = {};  // whole trace
  ValueOrReason<Launches> launches = {};               // of rows_before_last_step, as the queues
  ValueOrReason<std::vector<LaunchQueue>> queues = {};
  std::vector<DeviceUse> device_use = {};  // whole trace

  // The trace cannot be trusted: comparisons refuse it, and commands end with status 4.
  [[nodiscard]] bool blocked() const { return blocks_numbers(integrity); }
  // Of the device that was asked for, or what stands for the whole: all devices together, the one
  // there is, or the host. Null where no such device ran work.
  [[nodiscard]] const IdleReport* idle_of(std::optional<int> device) const;
};

struct AnalysisOptions {
  StepOptions steps = {};
  // Of operators whose types the trace does not have: own ones say it in their case.
  ops::Dtype untyped = ops::Dtype::kUnknown;
};

[[nodiscard]] Analysis analyse(const trace::Trace& trace, const AnalysisOptions& options = {});

}  // namespace stepbench::analyze
