// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "harness/trace/trace_events.h"

namespace stepbench {
namespace {

bool has_a_row(const DeviceActivity& activity) {
  const bool timed = activity.start_ns != 0 || activity.end_ns != 0;
  return is_device_work(activity) && timed;
}

std::string_view category_of(ActivityKind kind) {
  if (kind == ActivityKind::kKernel) return R"("kernel")";
  return kind == ActivityKind::kMemcpy ? R"("gpu_memcpy")" : R"("gpu_memset")";
}

std::int64_t volume(const std::int32_t (&extent)[3]) {
  return std::int64_t{extent[0]} * extent[1] * extent[2];
}

// Resident threads over what a multiprocessor holds, as far as threads, registers and the number of
// blocks bound them.
std::int64_t occupancy_percent(const DeviceActivity& kernel, const TraceDevice& device) {
  constexpr std::int64_t kMaxBlocks = 32;
  const std::int64_t threads = volume(kernel.block);
  if (threads <= 0 || device.max_threads_per_multiprocessor <= 0) return 0;
  std::int64_t blocks = std::min(kMaxBlocks, device.max_threads_per_multiprocessor / threads);
  const std::int64_t registers = kernel.registers_per_thread * threads;
  if (registers > 0 && device.registers_per_block > 0) {
    blocks = std::min(blocks, device.registers_per_block / registers);
  }
  return 100 * blocks * threads / device.max_threads_per_multiprocessor;
}

// n / d with two decimals.
void ratio(TraceFile& file, std::int64_t numerator, std::int64_t denominator) {
  const std::int64_t hundredths = denominator == 0 ? 0 : numerator * 100 / denominator;
  file.number(hundredths / 100).text(".").number(hundredths / 10 % 10).number(hundredths % 10);
}

}  // namespace

void TraceEvents::device() {
  std::unordered_map<std::uint64_t, std::size_t> calls;
  for (std::size_t i = 0; i < log_.activities.size(); ++i) {
    const DeviceActivity& activity = log_.activities[i];
    if (is_call(activity)) calls.emplace(activity.correlation, i);
  }
  for (const DeviceActivity& activity : log_.activities) {
    if (!has_a_row(activity)) continue;
    device_row(activity);
    const auto call = calls.find(activity.correlation);
    if (call != calls.end()) arrow_to_device(log_.activities[call->second], activity);
  }
}

const TraceDevice* TraceEvents::device_of(const DeviceActivity& activity) const {
  const auto found =
      std::find_if(header_.devices.begin(), header_.devices.end(),
                   [&](const TraceDevice& device) { return device.id == activity.device; });
  return found == header_.devices.end() ? nullptr : &*found;
}

void TraceEvents::device_row(const DeviceActivity& activity) {
  open(category_of(activity.kind), names_[activity.name], activity.device, activity.stream,
       activity.start_ns, activity.end_ns);
  file_.text(R"(,"args":{)");
  if (activity.op != kNoIndex) file_.text(R"("External id":)").number(activity.op + 1).text(",");
  file_.text(R"("device":)").number(activity.device).text(R"(,"context":1,"stream":)");
  file_.number(activity.stream).text(R"(,"correlation":)").number(activity.correlation);
  if (activity.kind == ActivityKind::kKernel) {
    kernel_arguments(activity);
  } else if (activity.bytes >= 0) {
    file_.text(R"(,"bytes":)").number(activity.bytes);
    if (activity.end_ns > activity.start_ns) {
      file_.text(",\"memory bandwidth (GB/s)\":");
      ratio(file_, activity.bytes, activity.end_ns - activity.start_ns);
    }
  }
  file_.text("}}");
}

void TraceEvents::kernel_arguments(const DeviceActivity& kernel) {
  file_.text(R"(,"queued":0,"registers per thread":)").number(kernel.registers_per_thread);
  file_.text(R"(,"shared memory":)").number(kernel.shared_memory_bytes);
  const TraceDevice* device = device_of(kernel);
  if (device != nullptr && device->multiprocessors > 0) {
    const std::int64_t blocks = volume(kernel.grid);
    file_.text(R"(,"blocks per SM":)");
    ratio(file_, blocks, device->multiprocessors);
    file_.text(R"(,"warps per SM":)");
    ratio(file_, blocks * volume(kernel.block),
          std::int64_t{device->multiprocessors} * std::max(device->warp_size, 1));
    file_.text(R"(,"est. achieved occupancy %":)").number(occupancy_percent(kernel, *device));
  }
  const auto extent = [&](std::string_view key, const std::int32_t(&of)[3]) {
    file_.text(key).number(of[0]).text(",").number(of[1]).text(",").number(of[2]).text("]");
  };
  extent(R"(,"grid":[)", kernel.grid);
  extent(R"(,"block":[)", kernel.block);
}

void TraceEvents::arrow_to_device(const DeviceActivity& call, const DeviceActivity& work) {
  arrow_end("s", "ac2g", call.correlation, log_.process, call_thread(call), call.start_ns);
  arrow_end("f", "ac2g", work.correlation, work.device, work.stream, work.start_ns);
}

}  // namespace stepbench
