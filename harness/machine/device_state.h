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
#include <vector>

#include "harness/machine/nvml_calls.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

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
