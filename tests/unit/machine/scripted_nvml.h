// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/machine/device_state.h"
#include "tests/testing.h"

namespace stepbench::machine {

// One device, or several equal ones, with readings set by a test; `refuses` names unsupported ones.
struct ScriptedNvml {
  [[nodiscard]] NvmlApi api() {
    // Getters of a device: the current value of a member, or a constant.
    const auto tells = [](const auto& value) {
      return [&value](NvmlDevice, auto* out) {
        *out = value;
        return 0;
      };
    };
    const auto always = [](auto value) {
      return [value](auto, auto* out) {
        *out = value;
        return 0;
      };
    };
    NvmlApi api;
    api.init = [this] {
      ++sessions;
      return init_result;
    };
    api.shutdown = [this] {
      --sessions;
      return 0;
    };
    api.driver_version = [this](std::string* version) {
      *version = driver_version;
      return 0;
    };
    api.cuda_version = [](int* version) {
      *version = 13000;
      return 0;
    };
    api.device_count = [this](unsigned* count) {
      *count = static_cast<unsigned>(uuids.size());
      return 0;
    };
    api.device = [this](unsigned index, NvmlDevice* device) {
      if (index >= uuids.size()) return 2;
      *device = &uuids[index];
      return 0;
    };
    api.device_of_pci = [this](const std::string& pci, NvmlDevice* device) {
      for (std::size_t i = 0; i < pcis.size(); ++i) {
        if (pcis[i] != pci) continue;
        *device = &uuids[i];
        return 0;
      }
      return 6;
    };
    api.device_of_slice = [this](const std::string& uuid, NvmlDevice* device) {
      if (uuid != "MIG-1c54") return 6;
      *device = &uuids.back();
      return 0;
    };
    api.uuid = [](NvmlDevice device, std::string* uuid) {
      *uuid = *static_cast<std::string*>(device);
      return 0;
    };
    api.energy = [this](NvmlDevice, unsigned long long* millijoules) {
      *millijoules = energy_mj;
      return energy_result;
    };
    api.throttled = [this](NvmlDevice, unsigned field, unsigned long long* ns) {
      const auto found = throttled_ns.find(field);
      if (found == throttled_ns.end()) return kNvmlNotSupported;
      *ns = found->second;
      return 0;
    };
    api.clock = [this](NvmlDevice device, int clock, unsigned* mhz) {
      if (clock == kNvmlSmClock) {
        ++reads;
        if (on_read) on_read();
      }
      const auto other = sm_mhz_of.find(*static_cast<std::string*>(device));
      *mhz = clock != kNvmlSmClock ? 2600 : other != sm_mhz_of.end() ? other->second : sm_mhz;
      return lost ? kNvmlGpuIsLost : 0;
    };
    api.max_clock = [this](NvmlDevice, int, unsigned* mhz) {
      ++fact_reads;
      *mhz = 1980;
      return 0;
    };
    api.utilisation = [this](NvmlDevice, NvmlUtilisation* out) {
      out->gpu = utilisation;
      return 0;
    };
    api.memory = [this](NvmlDevice, NvmlMemory* out) {
      *out = {.total = 1000, .free = 1000 - memory_used, .used = memory_used};
      return 0;
    };
    api.mig = [this](NvmlDevice, unsigned* on) {
      *on = mig.value_or(0);
      return mig ? 0 : kNvmlNotSupported;
    };
    api.name = always("Scripted GPU");
    api.power = tells(power_mw);
    api.power_limit = always(700'000U);
    api.temperature = tells(temperature_c);
    api.clock_reasons = tells(reasons);
    api.persistence = tells(persistence);
    api.ecc = always(1U);
    api.memory_errors = tells(memory_errors);
    api.processes = tells(processes);
    return api;
  }

  int init_result = 0;
  int sessions = 0;
  int reads = 0;       // of changing values
  int fact_reads = 0;  // of constant values
  std::function<void()> on_read = {};
  bool lost = false;
  std::string driver_version = "580.159.03";
  unsigned sm_mhz = 1980;
  unsigned power_mw = 300'000;
  unsigned temperature_c = 50;
  unsigned utilisation = 90;
  unsigned long long memory_used = 10;
  unsigned long long reasons = 0;
  unsigned long long memory_errors = 0;
  bool persistence = true;
  std::optional<unsigned> mig = {};
  std::vector<int> processes = {};
  unsigned long long energy_mj = 0;
  int energy_result = 0;
  std::map<unsigned, unsigned long long> throttled_ns = {};  // by field
  std::map<std::string, unsigned> sm_mhz_of = {};            // by uuid
  std::vector<std::string> pcis = {"0000:17:00.0"};          // of the devices in order
  std::vector<std::string> uuids = {"GPU-8a1e4f00-7b"};
};

}  // namespace stepbench::machine
