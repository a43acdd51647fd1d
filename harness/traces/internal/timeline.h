// SPDX-License-Identifier: Apache-2.0
// A trace prepared for analysis: device work sorted by time and linked to the calls that started
// it, and calls linked to the ops that made them. Built once per trace; every analysis is a pure
// function of it. Refers to the trace, which must outlive it. Read by any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/traces/internal/interval_set.h"
#include "harness/traces/trace.h"

namespace stepbench::traces {

[[nodiscard]] inline TimeSpan span_of(const TraceEvent& event) {
  return {event.start_ns, event.end_ns};
}

struct CallRow {
  const TraceEvent* event = nullptr;
  const TraceEvent* op = nullptr;  // innermost op or annotation around it on its thread
  std::uint32_t work = 0;          // number of device rows that it started
  // Sums of these rows.
  std::int64_t device_ns = 0;
  std::int64_t kernel_ns = 0;
  std::int64_t tensor_core_ns = 0;  // kernels whose names show tensor cores
};

struct WorkRow {
  const TraceEvent* event = nullptr;
  // Index into Timeline::calls; kNoIndex: launched before the recording began, or not linked.
  std::uint32_t call = ops::kNoIndex;
  std::int32_t device = 0;
  bool communication = false;  // a kernel that communicates with other ranks
};

struct Timeline {
  explicit Timeline(const Trace& trace);

  [[nodiscard]] const std::string& name(const TraceEvent& event) const {
    return trace->names[event.name].text;
  }
  // Name of the row in tables: for names that differ only in a counter, such as "iteration 8" and
  // "iteration 9", the common part. See fold_counting_names.
  [[nodiscard]] std::uint32_t shown_name(const TraceEvent& event) const {
    return shown_names.empty() ? event.name : shown_names[event.name];
  }
  // Returns the start of the call that started the row, else the row's own start.
  [[nodiscard]] std::int64_t placed_by_ns(const WorkRow& row) const {
    return (row.call == ops::kNoIndex ? *row.event : *calls[row.call].event).start_ns;
  }
  [[nodiscard]] const TraceEvent* call_of(const WorkRow& row) const {
    return row.call == ops::kNoIndex ? nullptr : calls[row.call].event;
  }
  // Indices of the calls of each of Trace::lanes, sorted by start.
  [[nodiscard]] std::vector<std::vector<std::uint32_t>> calls_of_lanes() const;

  // Busy time of one device, or of all; `keep` selects rows.
  template <typename Keep>
  [[nodiscard]] IntervalSet busy(std::optional<int> device, const Keep& keep) const {
    std::vector<TimeSpan> spans;
    for (const WorkRow& row : work) {
      if ((!device || row.device == *device) && keep(row)) spans.push_back(span_of(*row.event));
    }
    return IntervalSet(std::move(spans));
  }

  const Trace* trace;
  std::vector<CallRow> calls;        // sorted by start
  std::vector<WorkRow> work;         // sorted by start
  std::vector<int> devices;          // devices that ran work, sorted
  std::optional<TimeSpan> recorded;  // span recorded by the profiler's own row
  // Number of rows of each kind.
  std::int64_t ops = 0;
  std::int64_t annotations = 0;
  std::int64_t python = 0;
  std::int64_t overhead = 0;
  std::int64_t syncs = 0;
  std::vector<std::uint32_t> shown_names;  // indexed as Trace::names; empty: no name is replaced
};

[[nodiscard]] inline bool is_kernel(const WorkRow& row) {
  return row.event->kind == EventKind::kKernel;
}
[[nodiscard]] inline bool is_copy(const WorkRow& row) {
  return row.event->kind == EventKind::kMemcpy;
}
// Ops and annotations, without steps: the activity of a thread.
[[nodiscard]] inline bool is_host_op(const Trace& trace, const TraceEvent& event) {
  return is_op_or_annotation(event.kind) && trace.names[event.name].facts.step < 0;
}

}  // namespace stepbench::traces
