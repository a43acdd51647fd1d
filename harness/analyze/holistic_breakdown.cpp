// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/holistic.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "harness/analyze/bandwidth.h"

namespace stepbench::analyze {
namespace {

// Indices of the overlaps.
constexpr std::size_t kComputation = 1;
constexpr std::size_t kCommunication = 2;
constexpr std::size_t kMemory = 4;

IntervalSet set_of(const Timeline& timeline, const std::vector<std::size_t>& rows,
                   bool (*keep)(const WorkRow&)) {
  std::vector<TimeSpan> spans;
  for (const std::size_t row : rows) {
    if (keep(timeline.work[row])) spans.push_back(span_of(*timeline.work[row].event));
  }
  return IntervalSet(std::move(spans));
}

bool computes(const WorkRow& row) { return is_kernel(row) && !row.communication; }
bool communicates(const WorkRow& row) { return row.communication; }
bool moves(const WorkRow& row) { return !is_kernel(row); }

TimeSpan extent(const Timeline& timeline, const std::vector<std::size_t>& rows) {
  TimeSpan extent = span_of(*timeline.work[rows.front()].event);
  for (const std::size_t row : rows) {
    extent.end_ns = std::max(extent.end_ns, timeline.work[row].event->end_ns);
  }
  return extent;
}

std::vector<HolisticStream> idle_of_streams(const Timeline& timeline,
                                            const std::vector<std::size_t>& rows) {
  struct Last {
    std::int64_t end_ns = 0;
    HolisticStream stream = {};
  };
  std::map<std::uint32_t, Last> streams;  // by lane
  for (const std::size_t index : rows) {
    const WorkRow& row = timeline.work[index];
    const trace::TraceEvent& event = *row.event;
    const auto [at, is_first] = streams.try_emplace(event.lane);
    Last& last = at->second;
    if (is_first) {
      last.stream.device = row.device;
      last.stream.stream = timeline.trace->lanes[event.lane].stream;
    } else {
      const std::int64_t gap_ns = event.start_ns - last.end_ns;
      const trace::TraceEvent* call = timeline.call_of(row);
      const HolisticIdle idle = call != nullptr && call->start_ns > last.end_ns
                                    ? HolisticIdle::kHostWait
                                : gap_ns < kKernelWaitNs ? HolisticIdle::kKernelWait
                                                         : HolisticIdle::kOther;
      last.stream.idle_ns[static_cast<std::size_t>(idle)] += std::max<std::int64_t>(0, gap_ns);
      ++last.stream.gaps[static_cast<std::size_t>(idle)];
    }
    last.end_ns = event.end_ns;
  }
  std::vector<HolisticStream> out;
  for (auto& [lane, last] : streams) out.push_back(last.stream);
  return out;
}

}  // namespace

std::string_view name_of(HolisticIdle idle) {
  constexpr std::array<std::string_view, 3> kNames = {"host_wait", "kernel_wait", "other"};
  return kNames[static_cast<std::size_t>(idle)];
}

std::vector<std::size_t> holistic_rows(const Timeline& timeline, const Steps& steps) {
  const bool marked = steps.window == WindowKind::kHostStep && steps.steps.size() >= 2;
  const std::int64_t until_ns = marked ? steps.steps.back().mark.begin_ns : 0;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < timeline.work.size(); ++i) {
    const trace::TraceEvent* call = timeline.call_of(timeline.work[i]);
    if (!marked || (call != nullptr && call->start_ns < until_ns)) rows.push_back(i);
  }
  return rows;
}

ValueOrReason<Holistic> holistic_breakdown(const Timeline& timeline, const Steps& steps) {
  const std::vector<std::size_t> rows = holistic_rows(timeline, steps);
  if (rows.empty()) {
    return ValueOrReason<Holistic>::absent(timeline.work.empty()
                                               ? "the trace has no device rows"
                                               : "no device row was launched before the last step");
  }
  Holistic out;
  const IntervalSet computation = set_of(timeline, rows, computes);
  const IntervalSet communication = set_of(timeline, rows, communicates);
  const IntervalSet memory = set_of(timeline, rows, moves);
  const IntervalSet busy = computation | communication | memory;
  out.temporal.kernel_time_ns = extent(timeline, rows).length_ns();
  out.temporal.idle_ns = out.temporal.kernel_time_ns - busy.length_ns();
  out.temporal.compute_ns = computation.length_ns();
  out.temporal.non_compute_ns = busy.length_ns() - computation.length_ns();

  for (std::size_t parts = 1; parts < out.overlaps.ns.size(); ++parts) {
    IntervalSet set = busy;
    for (const auto& [bit, part] :
         {std::pair(kComputation, &computation), std::pair(kCommunication, &communication),
          std::pair(kMemory, &memory)}) {
      set = (parts & bit) != 0 ? set & *part : set - *part;
    }
    out.overlaps.ns[parts] = set.length_ns();
  }
  if (!communication.empty()) {
    out.overlap_share = static_cast<double>((communication & computation).length_ns()) /
                        static_cast<double>(communication.length_ns());
  }
  out.streams = idle_of_streams(timeline, rows);
  out.bandwidth = memory_bandwidth(timeline, rows);
  return out;
}

}  // namespace stepbench::analyze
