// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "harness/trace/trace_events.h"
#include "harness/trace/trace_names.h"

namespace stepbench::trace {
namespace {

std::string_view category_of(ops::ActivityKind kind) {
  if (kind == ops::ActivityKind::kKernel) return R"("kernel")";
  return kind == ops::ActivityKind::kMemcpy ? R"("gpu_memcpy")" : R"("gpu_memset")";
}

void hundredths(TraceFile& file, std::int64_t value) {
  file.number(value / 100).text(".").number(value / 10 % 10).number(value % 10);
}

}  // namespace

void TraceEvents::device() {
  std::unordered_map<std::uint64_t, std::size_t> calls;
  for (std::size_t i = 0; i < log_.activities.size(); ++i) {
    const ops::DeviceActivity& activity = log_.activities[i];
    if (ops::is_call(activity)) calls.emplace(activity.correlation, i);
  }
  for (const ops::DeviceActivity& activity : log_.activities) {
    if (!has_a_row(activity)) continue;
    device_row(activity);
    const auto call = calls.find(activity.correlation);
    if (call != calls.end()) arrow_to_device(log_.activities[call->second], activity);
  }
}

void TraceEvents::device_row(const ops::DeviceActivity& activity) {
  open(category_of(activity.kind), names_[activity.name], activity.device, activity.stream,
       activity.start_ns, activity.end_ns);
  file_.text(R"(,"args":{)");
  if (activity.op != ops::kNoIndex)
    file_.text(R"("External id":)").number(activity.op + 1).text(",");
  file_.text(R"("device":)").number(activity.device).text(R"(,"context":1,"stream":)");
  file_.number(activity.stream).text(R"(,"correlation":)").number(activity.correlation);
  if (activity.kind == ops::ActivityKind::kKernel) {
    kernel_arguments(activity);
  } else if (activity.bytes >= 0) {
    file_.text(R"(,"bytes":)").number(activity.bytes);
    if (activity.end_ns > activity.start_ns) {
      file_.text(",\"memory bandwidth (GB/s)\":");
      hundredths(file_, activity.bytes * 100 / (activity.end_ns - activity.start_ns));
    }
  }
  file_.text("}}");
}

void TraceEvents::kernel_arguments(const ops::DeviceActivity& kernel) {
  file_.text(R"(,"queued":0,"registers per thread":)").number(kernel.registers_per_thread);
  file_.text(R"(,"shared memory":)").number(kernel.shared_memory_bytes);
  const ops::TraceDevice* device = device_of(header_, kernel);
  if (device != nullptr && device->multiprocessors > 0) {
    file_.text(R"(,"blocks per SM":)");
    hundredths(file_, ops::blocks_per_sm_hundredths(kernel, *device));
    file_.text(R"(,"warps per SM":)");
    hundredths(file_, ops::warps_per_sm_hundredths(kernel, *device));
    file_.text(R"(,"est. achieved occupancy %":)").number(ops::occupancy_percent(kernel, *device));
  }
  const auto extent = [&](std::string_view key, const std::int32_t(&of)[3]) {
    file_.text(key).number(of[0]).text(",").number(of[1]).text(",").number(of[2]).text("]");
  };
  extent(R"(,"grid":[)", kernel.grid);
  extent(R"(,"block":[)", kernel.block);
}

void TraceEvents::arrow_to_device(const ops::DeviceActivity& call,
                                  const ops::DeviceActivity& work) {
  arrow_end("s", "ac2g", call.correlation, log_.process, call_thread(call), call.start_ns);
  arrow_end("f", "ac2g", work.correlation, work.device, work.stream, work.start_ns);
}

}  // namespace stepbench::trace
