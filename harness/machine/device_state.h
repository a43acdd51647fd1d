// SPDX-License-Identifier: Apache-2.0
// One reading of an NVIDIA device through NVML, the management library, which is loaded at run time
// and initialises no device. Unavailable values are absent, never zero. Results of the library are
// nvmlReturn_t as integers, 0 for success.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/os/symbols.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

// Names and types of the NVML functions that are looked up at run time, in plain C types, and the
// structs that they fill. harness/cuda/internal/nvidia_headers.cpp checks both against NVIDIA's
// declarations.

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

// The part of NVML that the controller uses.

using NvmlDevice = void*;

struct NvmlApi {
  std::function<int()> init;
  std::function<int()> shutdown;
  std::function<int(std::string* version)> driver_version;  // "580.159.03"
  std::function<int(int* version)> cuda_version;  // supported by the driver; 13000 is 13.0
  std::function<int(unsigned* count)> device_count;
  std::function<int(unsigned index, NvmlDevice*)> device;
  std::function<int(const std::string& pci, NvmlDevice*)> device_of_pci;  // "0000:17:00.0"
  std::function<int(NvmlDevice, std::string* name)> name;
  std::function<int(NvmlDevice, std::string* uuid)> uuid;  // "GPU-…"
  // The device that contains the MIG slice with this identifier, "MIG-…".
  std::function<int(const std::string& uuid, NvmlDevice*)> device_of_slice;
  std::function<int(NvmlDevice, int clock, unsigned* mhz)> clock;  // kNvmlSmClock, …
  std::function<int(NvmlDevice, int clock, unsigned* mhz)> max_clock;
  std::function<int(NvmlDevice, unsigned* milliwatts)> power;
  std::function<int(NvmlDevice, unsigned* milliwatts)> power_limit;
  std::function<int(NvmlDevice, unsigned long long* millijoules)> energy;  // since driver load
  std::function<int(NvmlDevice, unsigned* celsius)> temperature;
  std::function<int(NvmlDevice, unsigned long long* reasons)> clock_reasons;
  // Total time of one of NVML_FI_DEV_CLOCKS_EVENT_REASON_*.
  std::function<int(NvmlDevice, unsigned field, unsigned long long* ns)> throttled;
  std::function<int(NvmlDevice, NvmlUtilisation*)> utilisation;
  std::function<int(NvmlDevice, NvmlMemory*)> memory;
  std::function<int(NvmlDevice, unsigned* on)> persistence;
  std::function<int(NvmlDevice, unsigned* on)> mig;
  std::function<int(NvmlDevice, unsigned* on)> ecc;
  // Uncorrectable ECC errors since the driver was loaded.
  std::function<int(NvmlDevice, unsigned long long* count)> memory_errors;
  std::function<int(NvmlDevice, std::vector<int>* pids)> processes;
};

// nullopt if the library is absent. Functions missing in a driver's version return "not supported".
[[nodiscard]] std::optional<NvmlApi> load_nvml_api();

struct DeviceState {
  std::string name = {};
  std::optional<std::int64_t> sm_mhz = {};
  std::optional<std::int64_t> max_sm_mhz = {};
  std::optional<std::int64_t> memory_mhz = {};
  std::optional<std::int64_t> power_mw = {};
  std::optional<std::int64_t> power_limit_mw = {};
  std::optional<std::int64_t> temperature_c = {};
  std::optional<std::int64_t> utilisation_percent = {};
  std::optional<std::int64_t> memory_used_bytes = {};
  std::optional<std::int64_t> memory_total_bytes = {};
  std::optional<bool> persistence = {};
  std::optional<bool> mig = {};
  std::optional<bool> ecc = {};
  std::optional<std::int64_t> memory_errors = {};   // uncorrectable, since the driver was loaded
  std::optional<std::uint64_t> clock_reasons = {};  // why clocks are not higher; NVML's bits
  std::optional<std::vector<int>> processes = {};   // pids that compute on it
  bool lost = false;  // dropped off the bus during the launch; all else is then absent
};

// A reason for low clocks whose time NVML counts.
struct CountedReason {
  unsigned field;           // NVML_FI_DEV_CLOCKS_EVENT_REASON_*
  std::string_view metric;  // time per step
};
inline constexpr std::array kCountedReasons = {
    CountedReason{74, "gpu_power_capped_ns"}, CountedReason{76, "gpu_sync_boost_ns"},
    CountedReason{269, "gpu_software_thermal_ns"}, CountedReason{270, "gpu_hardware_thermal_ns"},
    CountedReason{271, "gpu_power_brake_ns"}};

// Monotonic counters since the driver was loaded. For a slice, those of the whole device.
struct DeviceCounters {
  std::optional<std::uint64_t> energy_mj = {};
  std::array<std::optional<std::uint64_t>, kCountedReasons.size()> throttled_ns = {};
};

// Keeps NVML initialised. Not thread-safe.
class NvmlSession {
 public:
  // Null if NVML is absent or fails: no driver.
  [[nodiscard]] static std::unique_ptr<NvmlSession> open(std::optional<NvmlApi> api);
  NvmlSession(const NvmlSession&) = delete;
  NvmlSession& operator=(const NvmlSession&) = delete;
  ~NvmlSession();

  [[nodiscard]] int devices() const;
  [[nodiscard]] std::string driver_version() const;  // empty: unknown
  [[nodiscard]] int cuda_version() const;            // 13000 is 13.0; 0: unknown
  // nullopt if the device does not exist.
  [[nodiscard]] std::optional<NvmlDevice> device(int index) const;
  [[nodiscard]] std::optional<NvmlDevice> device_of_pci(const std::string& pci) const;
  [[nodiscard]] std::optional<DeviceState> read(int index) const;
  // Two parts of read(): values that are constant while a program runs, and the others.
  void read_facts(NvmlDevice device, DeviceState& state) const;
  void read_changing(NvmlDevice device, DeviceState& state) const;
  [[nodiscard]] DeviceCounters read_counters(NvmlDevice device) const;
  // Index of the device with this identifier, in the forms that CUDA_VISIBLE_DEVICES accepts:
  // "GPU-" and an unambiguous prefix, or a slice's "MIG-…", which gives the whole device.
  [[nodiscard]] std::optional<int> index_of(const std::string& uuid) const;

 private:
  explicit NvmlSession(NvmlApi api) : api_(std::move(api)) {}
  NvmlApi api_;
};

// "hardware thermal slowdown, power brake": reasons that make a device slower than it could be.
[[nodiscard]] std::string throttle_text(std::uint64_t clock_reasons);  // empty: none
[[nodiscard]] bool is_power_capped(std::uint64_t clock_reasons);       // normal under full load

}  // namespace stepbench::machine
