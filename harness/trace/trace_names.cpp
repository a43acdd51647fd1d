// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/trace_names.h"

#include <algorithm>

#include "harness/ops/memory_levels.h"

namespace stepbench::trace {

std::string thread_text(const ops::OpThread& thread) {
  return "thread " + std::to_string(thread.id) + " (" + thread.name + ")";
}

std::string stream_text(std::uint32_t stream) { return "stream " + std::to_string(stream) + " "; }

std::string loader_process_text(std::int64_t pid) {
  return std::string(kLoaderWorker) + ' ' + std::to_string(pid);
}

std::string loader_track_text(std::int64_t tid) {
  if (tid < ops::kStepLoaderTrack) return std::string(kLoaderWorker);
  if (tid == ops::kStepLoaderTrack) return std::string(kStepLoader);
  return std::string(kLoaderWorker) + ' ' + std::to_string(tid - ops::kFirstWorkerTrack);
}

MarkRow row_of_mark(const ops::OpLog& log, const ops::StepMark& mark, std::string_view loader) {
  if (mark.phase == ops::kNoIndex) return {.name = "ProfilerStep#" + std::to_string(mark.index)};
  const std::string& phase = log.names[mark.phase];
  if (phase != "data_wait") return {.name = "stepbench::" + phase};
  return {.annotation = false,
          .name = "enumerate(DataLoader)#" + std::string(loader) + ".__next__"};
}

bool has_a_row(const ops::DeviceActivity& activity) {
  const bool timed = activity.start_ns != 0 || activity.end_ns != 0;
  return ops::is_device_work(activity) && timed;
}

std::int64_t window_end_ns(const ops::OpLog& log) {
  std::int64_t end_ns = ops::begin_ns(log);
  for (const ops::OpEvent& op : log.ops) end_ns = std::max(end_ns, op.end_ns);
  for (const ops::StepMark& mark : log.marks) end_ns = std::max(end_ns, mark.end_ns);
  for (const ops::DeviceActivity& activity : log.activities)
    end_ns = std::max(end_ns, activity.end_ns);
  return end_ns;
}

const ops::TraceDevice* device_of(const TraceHeader& header, const ops::DeviceActivity& activity) {
  const auto found =
      std::find_if(header.devices.begin(), header.devices.end(),
                   [&](const ops::TraceDevice& device) { return device.id == activity.device; });
  return found == header.devices.end() ? nullptr : &*found;
}

}  // namespace stepbench::trace
