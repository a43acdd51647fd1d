// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/analysis.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stepbench::traces {
namespace {

// Work of the CUDA driver that kineto and Nsight record as profiler overhead.
bool is_of_the_driver(std::string_view name) {
  constexpr std::array<std::string_view, 5> kDriver = {
      "Command Buffer Full", "Lazy Function Loading", "Runtime Triggered Module Loading",
      "Driver Compiler", "Driver JIT Compiler"};
  return std::ranges::find(kDriver, name) != kDriver.end();
}

std::int64_t overhead_in_steps(const Trace& trace, const Steps& steps) {
  std::vector<TimeSpan> overhead;
  for (const TraceLane& lane : trace.lanes) {
    if (lane.kind == LaneKind::kStream) continue;
    for (const TraceEvent& event : lane.events) {
      if (event.kind != EventKind::kOverhead || is_of_the_driver(trace.name_of(event))) continue;
      overhead.push_back(span_of(event));
    }
  }
  return (IntervalSet(std::move(overhead)) & IntervalSet(steps.counted_windows())).length_ns();
}

// Invariants that hold for any trace; a violation is a bug in these analyses.
void check_sums(const Analysis& analysis, std::vector<IntegrityNote>& notes) {
  const bool idle_closes = std::ranges::all_of(analysis.idle, [](const IdleReport& report) {
    return std::ranges::all_of(report.steps, [](const StepTime& step) {
      return step.wall_ns ==
             step.compute_ns + step.communication_ns + step.copy_ns + step.idle_total_ns();
    });
  });
  if (idle_closes) return;
  notes.insert(notes.begin(), {.id = "sums_do_not_close",
                               .level = IntegrityLevel::kError,
                               .text = "the parts of a step's time do not add up to the step: a "
                                       "bug in stepbench, please report it with the trace"});
}

}  // namespace

const IdleReport* Analysis::idle_of(std::optional<int> device) const {
  if (idle.empty()) return nullptr;
  if (!device) return &idle.back();
  const auto found = std::ranges::find(idle, device, &IdleReport::device);
  return found == idle.end() ? nullptr : &*found;
}

Analysis analyse(const Trace& trace, const AnalysisOptions& options) {
  Timeline timeline(trace);
  Analysis out;
  out.counts = {.ops = timeline.ops,
                .annotations = timeline.annotations,
                .python = timeline.python,
                .calls = std::ssize(timeline.calls),
                .device_rows = std::ssize(timeline.work),
                .syncs = timeline.syncs,
                .overhead = timeline.overhead};
  out.devices = timeline.devices;
  out.steps = find_steps(timeline, options.steps);
  fold_counting_names(out.steps, timeline);
  out.integrity = check_integrity(timeline, out.steps);
  out.idle = attribute_idle(timeline, out.steps);
  out.profiler_overhead_ns = overhead_in_steps(trace, out.steps);
  out.data_loading = find_data_loading(timeline, out.steps);
  out.loader_work = find_loader_work(timeline, out.steps, out.data_loading);
  out.host_work = find_host_work(timeline, out.steps);
  out.copies = find_copies(timeline, out.steps);
  out.host_waits = find_host_waits(timeline, out.steps);
  out.kernels = list_kernels(timeline, out.steps);
  out.efficiency = find_efficiency(timeline, out.steps, options.untyped);
  out.collectives = list_collectives(timeline, out.steps);
  Operators operators = list_operators(timeline, out.steps);
  out.operators = std::move(operators.rows);
  out.eligible_share = operators.eligible_share;
  out.runtime_calls = list_runtime_calls(timeline, out.steps);
  out.memory = memory_peaks(trace);
  out.launches = launch_statistics(timeline, out.steps);
  out.queues = launch_queues(timeline, out.steps);
  out.device_use = find_device_use(timeline, out.steps);
  check_sums(out, out.integrity);
  return out;
}

}  // namespace stepbench::traces
