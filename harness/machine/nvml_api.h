// SPDX-License-Identifier: Apache-2.0
// The part of NVIDIA's management library that the controller asks, found at run time; it
// initialises no device. Results are nvmlReturn_t as integers, 0 for success.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace stepbench::machine {

using NvmlDevice = void*;

struct NvmlApi {
  enum Clock : unsigned { kSm = 1, kMemory = 2 };  // values of nvmlClockType_t
  struct Memory {                                  // nvmlMemory_t
    unsigned long long total = 0;
    unsigned long long free = 0;
    unsigned long long used = 0;
  };
  struct Utilisation {  // nvmlUtilization_t, percent
    unsigned gpu = 0;
    unsigned memory = 0;
  };

  std::function<int()> init;
  std::function<int()> shutdown;
  std::function<int(unsigned* count)> device_count;
  std::function<int(unsigned index, NvmlDevice*)> device;
  std::function<int(NvmlDevice, std::string* name)> name;
  std::function<int(NvmlDevice, std::string* uuid)> uuid;  // "GPU-…"
  // The device of which a slice (MIG) with this identifier, "MIG-…", is a part.
  std::function<int(const std::string& uuid, NvmlDevice*)> device_of_slice;
  std::function<int(NvmlDevice, unsigned clock, unsigned* mhz)> clock;
  std::function<int(NvmlDevice, unsigned clock, unsigned* mhz)> max_clock;
  std::function<int(NvmlDevice, unsigned* milliwatts)> power;
  std::function<int(NvmlDevice, unsigned* milliwatts)> power_limit;
  std::function<int(NvmlDevice, unsigned* celsius)> temperature;
  std::function<int(NvmlDevice, unsigned long long* reasons)> clock_reasons;
  std::function<int(NvmlDevice, Utilisation*)> utilisation;
  std::function<int(NvmlDevice, Memory*)> memory;
  std::function<int(NvmlDevice, unsigned* on)> persistence;
  std::function<int(NvmlDevice, unsigned* on)> mig;
  std::function<int(NvmlDevice, unsigned* on)> ecc;
  // Memory errors since the driver was loaded that ECC could not repair.
  std::function<int(NvmlDevice, unsigned long long* count)> memory_errors;
  std::function<int(NvmlDevice, std::vector<int>* pids)> processes;
};

// nullopt if the library is absent. What a driver's version lacks answers "not supported".
[[nodiscard]] std::optional<NvmlApi> load_nvml_api();

}  // namespace stepbench::machine
