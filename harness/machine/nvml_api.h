// SPDX-License-Identifier: Apache-2.0
// The part of NVIDIA's management library (NVML) that the controller uses, loaded at run time; it
// initialises no device. Results are nvmlReturn_t as integers, 0 for success.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/machine/nvml_calls.h"

namespace stepbench::machine {

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

}  // namespace stepbench::machine
