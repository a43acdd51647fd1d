// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/internal/cupti_records.h"

#include <cupti.h>
#include <cxxabi.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "harness/base/format.h"

namespace stepbench::cuda {
namespace {

#if CUPTI_API_VERSION < 23
#error "CUPTI of CUDA 12.5 or later is needed"
#endif

// A later library appends fields to a record and increases the number in its name; existing fields
// keep their offsets. These are the records of CUDA 12.5, which contain all fields read here.
constexpr std::uint32_t kOldestVersion = 23;
using Kernel = CUpti_ActivityKernel9;
using Memcpy = CUpti_ActivityMemcpy5;
using PeerCopy = CUpti_ActivityMemcpyPtoP4;
using Synchronization = CUpti_ActivitySynchronization;
#if CUPTI_API_VERSION >= 130000
#define STEPBENCH_STAYS(older, newer, field) \
  static_assert(offsetof(older, field) == offsetof(newer, field));
#define STEPBENCH_TIMES_STAY(older, newer) \
  STEPBENCH_STAYS(older, newer, kind)      \
  STEPBENCH_STAYS(older, newer, start)     \
  STEPBENCH_STAYS(older, newer, end)       \
  STEPBENCH_STAYS(older, newer, streamId)  \
  STEPBENCH_STAYS(older, newer, correlationId)
STEPBENCH_TIMES_STAY(Kernel, CUpti_ActivityKernel10)
STEPBENCH_STAYS(Kernel, CUpti_ActivityKernel10, deviceId)
STEPBENCH_STAYS(Kernel, CUpti_ActivityKernel10, name)
STEPBENCH_STAYS(Kernel, CUpti_ActivityKernel10, gridX)
STEPBENCH_STAYS(Kernel, CUpti_ActivityKernel10, gridZ)
STEPBENCH_STAYS(Kernel, CUpti_ActivityKernel10, blockX)
STEPBENCH_STAYS(Kernel, CUpti_ActivityKernel10, blockZ)
STEPBENCH_STAYS(Kernel, CUpti_ActivityKernel10, registersPerThread)
STEPBENCH_STAYS(Kernel, CUpti_ActivityKernel10, staticSharedMemory)
STEPBENCH_STAYS(Kernel, CUpti_ActivityKernel10, dynamicSharedMemory)
STEPBENCH_TIMES_STAY(Memcpy, CUpti_ActivityMemcpy6)
STEPBENCH_STAYS(Memcpy, CUpti_ActivityMemcpy6, deviceId)
STEPBENCH_STAYS(Memcpy, CUpti_ActivityMemcpy6, bytes)
STEPBENCH_STAYS(Memcpy, CUpti_ActivityMemcpy6, copyKind)
STEPBENCH_STAYS(Memcpy, CUpti_ActivityMemcpy6, srcKind)
STEPBENCH_STAYS(Memcpy, CUpti_ActivityMemcpy6, dstKind)
STEPBENCH_TIMES_STAY(Synchronization, CUpti_ActivitySynchronization2)
STEPBENCH_STAYS(Synchronization, CUpti_ActivitySynchronization2, type)
#undef STEPBENCH_TIMES_STAY
#undef STEPBENCH_STAYS
#endif
using Memset = CUpti_ActivityMemset4;
using Api = CUpti_ActivityAPI;
using External = CUpti_ActivityExternalCorrelation;

template <typename Record>
Record copy_of(const void* record) {
  Record copy;
  std::memcpy(&copy, record, sizeof copy);
  return copy;
}

std::string demangled(const char* name) {
  if (name == nullptr) return "kernel";
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

ops::CopyKind copy_kind(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
      return ops::CopyKind::kHostToDevice;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
      return ops::CopyKind::kDeviceToHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return ops::CopyKind::kHostToHost;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP:
      return ops::CopyKind::kPeer;
    default:
      return ops::CopyKind::kDeviceToDevice;
  }
}

const char* memory_name(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE:
      return "Pageable";
    case CUPTI_ACTIVITY_MEMORY_KIND_PINNED:
      return "Pinned";
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE:
    case CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC:
      return "Device";
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED:
    case CUPTI_ACTIVITY_MEMORY_KIND_MANAGED_STATIC:
      return "Managed";
    case CUPTI_ACTIVITY_MEMORY_KIND_ARRAY:
      return "Array";
    default:
      return "Unknown";
  }
}

void read_kernel(const Kernel& kernel, ActivityRecord& out) {
  out.name = demangled(kernel.name);
  ops::DeviceActivity& activity = out.activity;
  activity.kind = ops::ActivityKind::kKernel;
  activity.stream = kernel.streamId;
  activity.device = static_cast<std::int16_t>(kernel.deviceId);
  const std::array grid = {kernel.gridX, kernel.gridY, kernel.gridZ};
  const std::array block = {kernel.blockX, kernel.blockY, kernel.blockZ};
  for (std::size_t axis = 0; axis < grid.size(); ++axis) {
    activity.grid[axis] = grid[axis];
    activity.block[axis] = block[axis];
  }
  activity.registers_per_thread = kernel.registersPerThread;
  activity.shared_memory_bytes = kernel.staticSharedMemory + kernel.dynamicSharedMemory;
}

template <typename Copy>
void read_copy(const Copy& copy, ops::CopyKind kind, ActivityRecord& out) {
  ops::DeviceActivity& activity = out.activity;
  activity.kind = ops::ActivityKind::kMemcpy;
  activity.stream = copy.streamId;
  activity.device = static_cast<std::int16_t>(copy.deviceId);
  activity.bytes = static_cast<std::int64_t>(copy.bytes);
  activity.copy = kind;
  activity.pinned = copy.srcKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED ||
                    copy.dstKind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  out.name.append("Memcpy ")
      .append(name_of(activity.copy))
      .append(" (")
      .append(memory_name(copy.srcKind));
  out.name.append(" -> ").append(memory_name(copy.dstKind)).append(")");
}

void read_set(const Memset& set, ActivityRecord& out) {
  out.name = "Memset";
  out.activity.kind = ops::ActivityKind::kMemset;
  out.activity.stream = set.streamId;
  out.activity.device = static_cast<std::int16_t>(set.deviceId);
  out.activity.bytes = static_cast<std::int64_t>(set.bytes);
}

void read_call(const Api& call, const ActivityNames& names, ActivityRecord& out) {
  const bool runtime = call.kind == CUPTI_ACTIVITY_KIND_RUNTIME;
  out.name = names(runtime ? CUPTI_CB_DOMAIN_RUNTIME_API : CUPTI_CB_DOMAIN_DRIVER_API, call.cbid);
  out.activity.kind = runtime ? ops::ActivityKind::kRuntime : ops::ActivityKind::kDriver;
  out.activity.device = -1;
  out.system_thread = call.threadId;
  out.failed = call.returnValue != 0;
}

void read_synchronization(const Synchronization& wait, ActivityRecord& out) {
  switch (wait.type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE:
      out.name = "Event Synchronize";
      break;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT:
      out.name = "Stream Wait Event";
      break;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE:
      out.name = "Stream Synchronize";
      break;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE:
      out.name = "Context Synchronize";
      break;
    default:
      out.name = "Synchronize";
  }
  out.activity.kind = ops::ActivityKind::kSynchronization;
  out.activity.device = -1;
  out.activity.stream = wait.streamId;
}

template <typename Record>
Record with_times(const void* record, ActivityRecord& out) {
  const auto copy = copy_of<Record>(record);
  out.activity.start_ns = static_cast<std::int64_t>(copy.start);
  out.activity.end_ns = static_cast<std::int64_t>(copy.end);
  out.activity.correlation = copy.correlationId;
  return copy;
}

}  // namespace

std::span<const std::uint32_t> activity_kinds() {
  static constexpr std::array<std::uint32_t, 8> kKinds = {
      CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
      CUPTI_ACTIVITY_KIND_MEMCPY2,           CUPTI_ACTIVITY_KIND_MEMSET,
      CUPTI_ACTIVITY_KIND_RUNTIME,           CUPTI_ACTIVITY_KIND_DRIVER,
      CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,   CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION};
  return kKinds;
}

std::span<const std::uint32_t> quiet_runtime_calls() {
  static constexpr auto kCalls = std::to_array<std::uint32_t>(
      {CUPTI_RUNTIME_TRACE_CBID_cudaGetDevice_v3020, CUPTI_RUNTIME_TRACE_CBID_cudaSetDevice_v3020,
       CUPTI_RUNTIME_TRACE_CBID_cudaGetLastError_v3020,
       CUPTI_RUNTIME_TRACE_CBID_cudaPeekAtLastError_v3020,
       CUPTI_RUNTIME_TRACE_CBID_cudaDeviceGetAttribute_v5000,
       CUPTI_RUNTIME_TRACE_CBID_cudaStreamIsCapturing_v10000,
       CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v10010,
       CUPTI_RUNTIME_TRACE_CBID_cudaStreamGetCaptureInfo_v2_v11030,
       CUPTI_RUNTIME_TRACE_CBID_cudaThreadExchangeStreamCaptureMode_v10010});
  return kCalls;
}

std::span<const std::uint32_t> quiet_driver_calls() {
  static constexpr auto kCalls = std::to_array<std::uint32_t>(
      {CUPTI_DRIVER_TRACE_CBID_cuCtxGetCurrent, CUPTI_DRIVER_TRACE_CBID_cuCtxSetCurrent,
       CUPTI_DRIVER_TRACE_CBID_cuCtxPushCurrent_v2, CUPTI_DRIVER_TRACE_CBID_cuCtxPopCurrent_v2,
       CUPTI_DRIVER_TRACE_CBID_cuDeviceGet, CUPTI_DRIVER_TRACE_CBID_cuDeviceGetAttribute,
       CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxGetState, CUPTI_DRIVER_TRACE_CBID_cuGetProcAddress,
       CUPTI_DRIVER_TRACE_CBID_cuGetProcAddress_v2, CUPTI_DRIVER_TRACE_CBID_cuKernelGetName,
       CUPTI_DRIVER_TRACE_CBID_cuStreamIsCapturing, CUPTI_DRIVER_TRACE_CBID_cuStreamGetCaptureInfo,
       CUPTI_DRIVER_TRACE_CBID_cuStreamGetCaptureInfo_v2,
       CUPTI_DRIVER_TRACE_CBID_cuThreadExchangeStreamCaptureMode});
  return kCalls;
}

std::string records_unreadable(std::uint32_t library_version) {
  if (library_version >= kOldestVersion) return {};
  return formatted(
      "libcupti is version {}, older than CUDA 12.5's, {}: its records have another layout",
      library_version, kOldestVersion);
}

bool read_activity(const void* record, const ActivityNames& names, ActivityRecord& out) {
  out = {};
  switch (copy_of<CUpti_Activity>(record).kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      read_kernel(with_times<Kernel>(record, out), out);
      return true;
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto copy = with_times<Memcpy>(record, out);
      read_copy(copy, copy_kind(copy.copyKind), out);
      return true;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY2:  // between two devices, regardless of its copyKind
      read_copy(with_times<PeerCopy>(record, out), ops::CopyKind::kPeer, out);
      return true;
    case CUPTI_ACTIVITY_KIND_MEMSET:
      read_set(with_times<Memset>(record, out), out);
      return true;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      read_call(with_times<Api>(record, out), names, out);
      return true;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      read_synchronization(with_times<Synchronization>(record, out), out);
      return true;
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto external = copy_of<External>(record);
      if (external.externalKind != CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0) return false;
      out.kind = ActivityRecord::Kind::kExternalCorrelation;
      out.correlation = external.correlationId;
      out.external = external.externalId;
      return true;
    }
    default:
      return false;
  }
}

}  // namespace stepbench::cuda
