// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/device.h"

#include <ATen/Context.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>

#include "harness/base/error.h"
#include "harness/cuda/cuda_api.h"
#include "harness/workload.h"
#include "workloads/transfer/streams.h"

namespace stepbench::step {
namespace {

// libtorch reports no device without the reason, which the CUDA runtime has.
std::string no_device_reason(c10::Device device) {
  const auto loaded = cuda::load_cuda_api();
  const auto* api = std::get_if<cuda::CudaApi>(&loaded);
  const std::string why = api == nullptr ? "" : cuda::device_missing(*api, device.index());
  return why.empty() || why == cuda::kNoDevice ? "" : ": " + why;
}

}  // namespace

c10::Device parse_device(const std::string& text) {
  try {
    c10::Device device(text);
    if (device.is_cuda() && !device.has_index()) device.set_index(0);
    if (device.is_cpu() || device.is_cuda()) return device;
  } catch (const c10::Error&) {  // its text lists torch's other device types
  }
  throw ConfigError("device", "unknown device '" + text + "'; use cpu, cuda or cuda:N");
}

std::optional<std::string> device_unavailable(c10::Device device) {
  if (device.is_cpu()) return std::nullopt;
  const int count = at::hasCUDA() ? static_cast<int>(at::getNumGPUs()) : 0;
  if (device.index() < count) return std::nullopt;
  if (count == 0) return "no CUDA device is visible to libtorch" + no_device_reason(device);
  return device.str() + " does not exist: libtorch sees " + std::to_string(count) +
         " CUDA device(s)";
}

void synchronize_device(c10::Device device) {
  if (device.is_cuda())
    c10::impl::VirtualGuardImpl(device.type()).synchronizeDevice(device.index());
}

DeviceStream current_stream(c10::Device device) { return transfer::current_stream(device); }

void release_cached_memory(c10::Device device) {
  if (device.is_cuda()) at::getDeviceAllocator(device.type())->emptyCache();
}

void reset_peak_memory(c10::Device device) {
  if (device.is_cuda()) at::getDeviceAllocator(device.type())->resetPeakStats(device.index());
}

std::optional<cuda::AllocatorCounters> device_memory(c10::Device device) {
  if (!device.is_cuda()) return std::nullopt;
  const auto stats = at::getDeviceAllocator(device.type())->getDeviceStats(device.index());
  constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);
  return cuda::AllocatorCounters{.allocations = stats.allocation[kAll].allocated,
                                 .device_allocations = stats.num_device_alloc,
                                 .retries = stats.num_alloc_retries,
                                 .allocated_bytes = stats.allocated_bytes[kAll].current,
                                 .reserved_bytes = stats.reserved_bytes[kAll].current,
                                 .peak_allocated_bytes = stats.allocated_bytes[kAll].peak,
                                 .peak_reserved_bytes = stats.reserved_bytes[kAll].peak};
}

void mark_memory(Edge edge, c10::Device device, std::optional<cuda::AllocatorWindow>& window) {
  if (edge == Edge::kEnd) {
    if (window) window->end = device_memory(device).value_or(window->begin);
    return;
  }
  reset_peak_memory(device);
  window.reset();
  if (const auto begin = device_memory(device)) window = cuda::AllocatorWindow{.begin = *begin};
}

}  // namespace stepbench::step
