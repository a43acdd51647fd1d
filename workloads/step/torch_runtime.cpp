// SPDX-License-Identifier: Apache-2.0
#include "workloads/step/torch_runtime.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <torch/version.h>
#include <string>

#include "harness/base/error.h"
#include "harness/cuda/cuda_api.h"
#include "harness/machine/environment.h"
#include "harness/workload.h"
#include "workloads/transfer/transfer.h"

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

DrainedMark mark_now(const Clock& clock, c10::Device device) {
  DrainedMark mark{.host_ns = clock.now_ns()};
  if (device.is_cpu()) return mark;
  mark.passed = std::make_shared<c10::Event>(device.type(),
                                             c10::EventFlag::BACKEND_DEFAULT);  // with timing
  mark.passed->record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
  return mark;
}

std::int64_t ns_between(const DrainedMark& begin, const DrainedMark& end) {
  if (begin.passed == nullptr || end.passed == nullptr) return end.host_ns - begin.host_ns;
  end.passed->synchronize();
  const double ms = begin.passed->elapsedTime(*end.passed);
  return static_cast<std::int64_t>(ms * 1e6);
}

namespace {

std::string cudnn_version(long number) {  // 91900 -> "9.19.0"
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." +
         std::to_string(number % 100);
}

// Not from CUDA's driver itself: querying it would initialise it before the loader forks. NVML,
// used if /proc does not have the version, initialises no device.
std::string driver_version() {
  const std::string version = machine::find_devices("/", machine::nvml_devices).driver_version;
  return version.empty() ? "none" : version;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

Fields torch_software() {
  Fields fields;
  fields["torch"] = std::string(TORCH_VERSION);
  fields["compiler"] = std::string("g++ " __VERSION__);
  fields["cpu_capability"] = at::get_cpu_capability();
  fields["openmp"] = first_line(at::get_openmp_version());
  fields["mkl"] = at::hasMKL() ? first_line(at::get_mkl_version()) : std::string("none");
  fields["onednn"] = at::hasMKLDNN() ? first_line(at::get_mkldnn_version()) : std::string("none");
  fields["intra_op_threads"] = static_cast<std::int64_t>(at::get_num_threads());
  fields["inter_op_threads"] = static_cast<std::int64_t>(at::get_num_interop_threads());
  fields["cuda_driver"] = driver_version();
  with_torch_errors([&] {  // a mismatched driver is a problem of the machine
    const bool cuda = at::detail::getCUDAHooks().hasCUDART();
    fields["cuda_runtime"] =
        cuda ? cuda::cuda_version_text(static_cast<int>(at::detail::getCUDAHooks().versionCUDART()))
             : std::string("none");
    fields["cudnn"] = cuda && at::detail::getCUDAHooks().compiledWithCuDNN()
                          ? cudnn_version(at::detail::getCUDAHooks().versionCuDNN())
                          : std::string("none");
  });
  return fields;
}

void set_torch_threads(int intra_op, int inter_op) {
  if (intra_op > 0) at::set_num_threads(intra_op);
  if (inter_op > 0 && static_cast<std::size_t>(inter_op) != at::get_num_interop_threads())
    at::set_num_interop_threads(inter_op);
}

}  // namespace stepbench::step
