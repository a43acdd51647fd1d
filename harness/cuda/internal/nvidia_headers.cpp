// SPDX-License-Identifier: Apache-2.0
// No code: checks this project's declarations of NVIDIA's interfaces against NVIDIA's own headers,
// so that a differing version breaks the build and not a measurement. Skipped if the headers are
// absent.
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <cupti.h>
#include <nvml.h>

#include <cstddef>
#include <type_traits>

#include "harness/cuda/cuda_api.h"
#include "harness/cuda/internal/cuda_calls.h"
#include "harness/cuda/internal/cupti_api.h"
#include "harness/machine/device_state.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

namespace stepbench::cuda {
namespace {

// True if both are passed in the same registers and read as the same bits: an enumeration may
// replace an integer, void the target type of a handle.
template <typename Ours, typename Theirs>
constexpr bool alike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using Own = std::remove_cv_t<std::remove_pointer_t<Ours>>;
    using Their = std::remove_cv_t<std::remove_pointer_t<Theirs>>;
    if constexpr (std::is_void_v<Own> || std::is_void_v<Their>) {
      return true;
    } else {
      return alike<Own, Their>();
    }
  } else if constexpr (std::is_function_v<Ours> && std::is_function_v<Theirs>) {
    return true;  // compared where they are called
  } else if constexpr (std::is_void_v<Ours> || std::is_void_v<Theirs>) {
    return std::is_void_v<Ours> && std::is_void_v<Theirs>;
  } else {
    return sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs) &&
           std::is_pointer_v<Ours> == std::is_pointer_v<Theirs> &&
           std::is_class_v<Ours> == std::is_class_v<Theirs> &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs>;
  }
}

template <typename Ours, typename Theirs>
struct SameCall : std::false_type {};
template <typename Result, typename... Arguments, typename TheirResult, typename... TheirArguments>
requires(
    sizeof...(Arguments) ==
    sizeof...(TheirArguments)) struct SameCall<Result(Arguments...), TheirResult(TheirArguments...)>
    : std::bool_constant<alike<Result, TheirResult>() &&
                         (alike<Arguments, TheirArguments>() && ...)> {
};

static_assert(SameCall<int(int*, void*), cudaError_t(int*, cudaEvent_t)>::value);
static_assert(!SameCall<int(int*), cudaError_t(unsigned long long*)>::value);
static_assert(!SameCall<int(int), cudaError_t(int, int)>::value);
static_assert(!SameCall<int(void*, int), cudaError_t(int, void*)>::value);

#define STEPBENCH_SAME(name, type) \
  static_assert(SameCall<type, decltype(::name)>::value, #name " is declared otherwise");
STEPBENCH_CUDA_RUNTIME_CALLS(STEPBENCH_SAME)
STEPBENCH_CUDA_DRIVER_CALLS(STEPBENCH_SAME)
STEPBENCH_CUPTI_CALLS(STEPBENCH_SAME)
namespace nvml {
using machine::NvmlField;
using machine::NvmlMemory;
using machine::NvmlProcess;
using machine::NvmlUtilisation;
STEPBENCH_NVML_CALLS(STEPBENCH_SAME)
}  // namespace nvml
#undef STEPBENCH_SAME

// Callback parameters.
static_assert(SameCall<void(std::uint8_t**, std::size_t*, std::size_t*),
                       std::remove_pointer_t<CUpti_BuffersCallbackRequestFunc>>::value);
static_assert(SameCall<void(void*, std::uint32_t, std::uint8_t*, std::size_t, std::size_t),
                       std::remove_pointer_t<CUpti_BuffersCallbackCompleteFunc>>::value);
static_assert(SameCall<std::uint64_t(), std::remove_pointer_t<CUpti_TimestampCallbackFunc>>::value);
static_assert(SameCall<void(void*, int, std::uint32_t, const void*),
                       std::remove_pointer_t<CUpti_CallbackFunc>>::value);

// Constants that are compared or passed.
static_assert(kCudaSuccess == cudaSuccess && kCudaNotReady == cudaErrorNotReady);
static_assert(kCudaInsufficientDriver == cudaErrorInsufficientDriver);
static_assert(kCudaNoDevice == cudaErrorNoDevice);
static_assert(kCudaHostToDevice == cudaMemcpyHostToDevice);
static_assert(kMaxThreadsPerBlock == cudaDevAttrMaxThreadsPerBlock);
static_assert(kMaxSharedMemoryPerBlock == cudaDevAttrMaxSharedMemoryPerBlock);
static_assert(kWarpSize == cudaDevAttrWarpSize);
static_assert(kMaxRegistersPerBlock == cudaDevAttrMaxRegistersPerBlock);
static_assert(kMultiprocessors == cudaDevAttrMultiProcessorCount);
static_assert(kMaxThreadsPerMultiprocessor == cudaDevAttrMaxThreadsPerMultiProcessor);
static_assert(kComputeMajor == cudaDevAttrComputeCapabilityMajor);
static_assert(kComputeMinor == cudaDevAttrComputeCapabilityMinor);
static_assert(kCuptiSuccess == CUPTI_SUCCESS && kCuptiUnknown == CUPTI_ERROR_UNKNOWN);
static_assert(kCuptiInvalidKind == CUPTI_ERROR_INVALID_KIND);
static_assert(kCuptiMaxLimitReached == CUPTI_ERROR_MAX_LIMIT_REACHED);
static_assert(kCuptiQueueEmpty == CUPTI_ERROR_QUEUE_EMPTY);
static_assert(kCuptiMultipleSubscribers == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
static_assert(kCuptiInsufficientPrivileges == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
static_assert(kCuptiSystemThreadIds == CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
static_assert(kCuptiFlushForced == CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
static_assert(kCuptiCustom0 == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0);
static_assert(machine::kNvmlNotSupported == NVML_ERROR_NOT_SUPPORTED);
static_assert(machine::kNvmlInsufficientSize == NVML_ERROR_INSUFFICIENT_SIZE);
static_assert(machine::kNvmlGpuIsLost == NVML_ERROR_GPU_IS_LOST);
static_assert(machine::kNvmlSmClock == NVML_CLOCK_SM);
static_assert(machine::kNvmlMemoryClock == NVML_CLOCK_MEM);
static_assert(machine::kNvmlGpuTemperature == NVML_TEMPERATURE_GPU);
static_assert(machine::kNvmlUncorrected == NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
static_assert(machine::kNvmlSinceDriverLoad == NVML_VOLATILE_ECC);
static_assert(machine::kNvmlUnsignedInt == NVML_VALUE_TYPE_UNSIGNED_INT);
static_assert(machine::kSlowdown == nvmlClocksThrottleReasonHwSlowdown);
static_assert(machine::kSoftwareThermal == nvmlClocksEventReasonSwThermalSlowdown);
static_assert(machine::kHardwareThermal == nvmlClocksThrottleReasonHwThermalSlowdown);
static_assert(machine::kPowerBrake == nvmlClocksThrottleReasonHwPowerBrakeSlowdown);
static_assert(machine::kPowerCap == nvmlClocksEventReasonSwPowerCap);
static_assert(machine::kCountedReasons[0].field == NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_POWER_CAP);
static_assert(machine::kCountedReasons[1].field == NVML_FI_DEV_CLOCKS_EVENT_REASON_SYNC_BOOST);
static_assert(machine::kCountedReasons[2].field ==
              NVML_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN);
static_assert(machine::kCountedReasons[3].field ==
              NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN);
static_assert(machine::kCountedReasons[4].field ==
              NVML_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN);

// Structs that NVML fills.
#define STEPBENCH_AT(ours, field, theirs, their_field) \
  static_assert(offsetof(machine::ours, field) == offsetof(theirs, their_field));
static_assert(sizeof(machine::NvmlMemory) == sizeof(nvmlMemory_t));
STEPBENCH_AT(NvmlMemory, total, nvmlMemory_t, total)
STEPBENCH_AT(NvmlMemory, free, nvmlMemory_t, free)
STEPBENCH_AT(NvmlMemory, used, nvmlMemory_t, used)
static_assert(sizeof(machine::NvmlUtilisation) == sizeof(nvmlUtilization_t));
STEPBENCH_AT(NvmlUtilisation, gpu, nvmlUtilization_t, gpu)
STEPBENCH_AT(NvmlUtilisation, memory, nvmlUtilization_t, memory)
static_assert(sizeof(machine::NvmlProcess) == sizeof(nvmlProcessInfo_t));
STEPBENCH_AT(NvmlProcess, pid, nvmlProcessInfo_t, pid)
STEPBENCH_AT(NvmlProcess, used_bytes, nvmlProcessInfo_t, usedGpuMemory)
static_assert(sizeof(machine::NvmlField) == sizeof(nvmlFieldValue_t));
STEPBENCH_AT(NvmlField, field, nvmlFieldValue_t, fieldId)
STEPBENCH_AT(NvmlField, scope, nvmlFieldValue_t, scopeId)
STEPBENCH_AT(NvmlField, timestamp_us, nvmlFieldValue_t, timestamp)
STEPBENCH_AT(NvmlField, latency_us, nvmlFieldValue_t, latencyUsec)
STEPBENCH_AT(NvmlField, type, nvmlFieldValue_t, valueType)
STEPBENCH_AT(NvmlField, code, nvmlFieldValue_t, nvmlReturn)
STEPBENCH_AT(NvmlField, value, nvmlFieldValue_t, value)
#undef STEPBENCH_AT

}  // namespace
}  // namespace stepbench::cuda
