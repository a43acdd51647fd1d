// SPDX-License-Identifier: Apache-2.0
// Names and types of the NVML functions that are looked up at run time, in plain C types, and the
// structs that they fill. harness/cuda/nvidia_headers.cpp checks both against NVIDIA's
// declarations.
#pragma once

#include <type_traits>

#include "harness/os/symbols.h"

namespace stepbench::machine {

struct NvmlMemory {  // nvmlMemory_t
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};
struct NvmlUtilisation {  // nvmlUtilization_t, percent
  unsigned gpu = 0;
  unsigned memory = 0;
};
struct NvmlProcess {  // nvmlProcessInfo_t, the same for the second and the third version of the
                      // call
  unsigned pid = 0;
  unsigned long long used_bytes = 0;
  unsigned gpu_instance = 0;
  unsigned compute_instance = 0;
};
struct NvmlField {  // nvmlFieldValue_t
  unsigned field = 0;
  unsigned scope = 0;
  long long timestamp_us = 0;
  long long latency_us = 0;
  int type = 0;  // type of `value`
  int code = 0;
  union {
    unsigned long long whole = 0;
    unsigned small;
  } value;
};

// nvmlReturn_t
inline constexpr int kNvmlNotSupported = 3;
inline constexpr int kNvmlInsufficientSize = 7;
inline constexpr int kNvmlGpuIsLost = 15;
// nvmlClockType_t, nvmlTemperatureSensors_t, nvmlMemoryErrorType_t, nvmlEccCounterType_t
inline constexpr int kNvmlSmClock = 1;
inline constexpr int kNvmlMemoryClock = 2;
inline constexpr int kNvmlGpuTemperature = 0;
inline constexpr int kNvmlUncorrected = 1;
inline constexpr int kNvmlSinceDriverLoad = 0;
// nvmlValueType_t
inline constexpr int kNvmlUnsignedInt = 1;
// nvmlClocksEventReason*
inline constexpr unsigned long long kPowerCap = 0x04;
inline constexpr unsigned long long kSlowdown = 0x08;
inline constexpr unsigned long long kSoftwareThermal = 0x20;
inline constexpr unsigned long long kHardwareThermal = 0x40;
inline constexpr unsigned long long kPowerBrake = 0x80;

#define STEPBENCH_NVML_CALLS(CALL)                                                   \
  CALL(nvmlInit_v2, int())                                                           \
  CALL(nvmlShutdown, int())                                                          \
  CALL(nvmlSystemGetDriverVersion, int(char*, unsigned))                             \
  CALL(nvmlSystemGetCudaDriverVersion_v2, int(int*))                                 \
  CALL(nvmlDeviceGetCount_v2, int(unsigned*))                                        \
  CALL(nvmlDeviceGetHandleByIndex_v2, int(unsigned, void**))                         \
  CALL(nvmlDeviceGetHandleByUUID, int(const char*, void**))                          \
  CALL(nvmlDeviceGetHandleByPciBusId_v2, int(const char*, void**))                   \
  CALL(nvmlDeviceGetDeviceHandleFromMigDeviceHandle, int(void*, void**))             \
  CALL(nvmlDeviceGetName, int(void*, char*, unsigned))                               \
  CALL(nvmlDeviceGetUUID, int(void*, char*, unsigned))                               \
  CALL(nvmlDeviceGetClockInfo, int(void*, int, unsigned*))                           \
  CALL(nvmlDeviceGetMaxClockInfo, int(void*, int, unsigned*))                        \
  CALL(nvmlDeviceGetPowerUsage, int(void*, unsigned*))                               \
  CALL(nvmlDeviceGetEnforcedPowerLimit, int(void*, unsigned*))                       \
  CALL(nvmlDeviceGetTotalEnergyConsumption, int(void*, unsigned long long*))         \
  CALL(nvmlDeviceGetTemperature, int(void*, int, unsigned*))                         \
  CALL(nvmlDeviceGetCurrentClocksEventReasons, int(void*, unsigned long long*))      \
  CALL(nvmlDeviceGetUtilizationRates, int(void*, NvmlUtilisation*))                  \
  CALL(nvmlDeviceGetMemoryInfo, int(void*, NvmlMemory*))                             \
  CALL(nvmlDeviceGetPersistenceMode, int(void*, int*))                               \
  CALL(nvmlDeviceGetMigMode, int(void*, unsigned*, unsigned*))                       \
  CALL(nvmlDeviceGetEccMode, int(void*, int*, int*))                                 \
  CALL(nvmlDeviceGetTotalEccErrors, int(void*, int, int, unsigned long long*))       \
  CALL(nvmlDeviceGetComputeRunningProcesses_v3, int(void*, unsigned*, NvmlProcess*)) \
  CALL(nvmlDeviceGetFieldValues, int(void*, int, NvmlField*))

// Names in older drivers, with the same types.
#define STEPBENCH_OLDER_NVML_CALLS(CALL)                                           \
  CALL(nvmlDeviceGetCurrentClocksThrottleReasons, int(void*, unsigned long long*)) \
  CALL(nvmlDeviceGetComputeRunningProcesses_v2, int(void*, unsigned*, NvmlProcess*))

// Null if this version of the library lacks the function.
struct NvmlCalls {
#define STEPBENCH_MEMBER(name, type) std::add_pointer_t<type> name = nullptr;
#define STEPBENCH_FIND(name, type) name = symbols.find<type>(#name);
  explicit NvmlCalls(os::Symbols& symbols){
      STEPBENCH_NVML_CALLS(STEPBENCH_FIND)
          STEPBENCH_OLDER_NVML_CALLS(STEPBENCH_FIND)} STEPBENCH_NVML_CALLS(STEPBENCH_MEMBER)
      STEPBENCH_OLDER_NVML_CALLS(STEPBENCH_MEMBER)
#undef STEPBENCH_MEMBER
#undef STEPBENCH_FIND
};

}  // namespace stepbench::machine
