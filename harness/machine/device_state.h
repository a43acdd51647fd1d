// SPDX-License-Identifier: Apache-2.0
// One reading of an NVIDIA device through the management library. What it does not tell is absent,
// never zero.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/nvml_api.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

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
  std::optional<std::int64_t> memory_errors = {};   // not repaired, since the driver was loaded
  std::optional<std::uint64_t> clock_reasons = {};  // why clocks are not higher, NVML's bits
  std::optional<std::vector<int>> processes = {};   // that compute on it
  bool lost = false;  // it fell off the bus while the program ran; nothing else is told then
};

// What holds a device's clocks down, as far as it is counted.
struct CountedReason {
  unsigned field;           // NVML_FI_DEV_CLOCKS_EVENT_REASON_*
  std::string_view metric;  // time per step
};
inline constexpr std::array kCountedReasons = {
    CountedReason{74, "gpu_power_capped_ns"}, CountedReason{76, "gpu_sync_boost_ns"},
    CountedReason{269, "gpu_software_thermal_ns"}, CountedReason{270, "gpu_hardware_thermal_ns"},
    CountedReason{271, "gpu_power_brake_ns"}};

// Counters that only grow, since the driver was loaded. Those of a whole device, also for a slice.
struct DeviceCounters {
  std::optional<std::uint64_t> energy_mj = {};
  std::array<std::optional<std::uint64_t>, kCountedReasons.size()> throttled_ns = {};
};

// Keeps the library initialised. Not thread-safe.
class NvmlSession {
 public:
  // Null when the library refuses: no driver.
  [[nodiscard]] static std::unique_ptr<NvmlSession> open(std::optional<NvmlApi> api);
  NvmlSession(const NvmlSession&) = delete;
  NvmlSession& operator=(const NvmlSession&) = delete;
  ~NvmlSession();

  [[nodiscard]] int devices() const;
  [[nodiscard]] std::string driver_version() const;  // empty: not told
  [[nodiscard]] int cuda_version() const;            // 13000 is 13.0; 0: not told
  // nullopt if there is no such device.
  [[nodiscard]] std::optional<NvmlDevice> device(int index) const;
  [[nodiscard]] std::optional<NvmlDevice> device_of_pci(const std::string& pci) const;
  [[nodiscard]] std::optional<DeviceState> read(int index) const;
  // The two parts of it: what stays as it is while a program runs, and what does not.
  void read_facts(NvmlDevice device, DeviceState& state) const;
  void read_changing(NvmlDevice device, DeviceState& state) const;
  [[nodiscard]] DeviceCounters read_counters(NvmlDevice device) const;
  // Of the device with this identifier, as CUDA_VISIBLE_DEVICES takes them: "GPU-" and as much of
  // the rest as tells it apart, or a slice's "MIG-…", which stands for the whole device.
  [[nodiscard]] std::optional<int> index_of(const std::string& uuid) const;

 private:
  explicit NvmlSession(NvmlApi api) : api_(std::move(api)) {}
  NvmlApi api_;
};

// "hardware thermal slowdown, power brake": reasons for which a device computes slower than it
// could.
[[nodiscard]] std::string throttle_text(std::uint64_t clock_reasons);  // empty: it does not
[[nodiscard]] bool is_power_capped(std::uint64_t clock_reasons);       // usual under full load

}  // namespace stepbench::machine
