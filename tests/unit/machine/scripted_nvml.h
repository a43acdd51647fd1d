// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "harness/machine/nvml_api.h"

namespace stepbench::machine {

// One device, or several alike, whose readings a test sets; `refuses` names what it does not tell.
struct ScriptedNvml {
  [[nodiscard]] NvmlApi api() {
    constexpr int kNotSupported = 3;
    NvmlApi api;
    api.init = [this] {
      ++sessions;
      return init_result;
    };
    api.shutdown = [this] {
      --sessions;
      return 0;
    };
    api.device_count = [this](unsigned* count) {
      *count = static_cast<unsigned>(uuids.size());
      return 0;
    };
    api.device = [this](unsigned index, NvmlDevice* device) {
      ++reads;
      if (index >= uuids.size()) return 2;
      *device = &uuids[index];
      return 0;
    };
    api.uuid = [](NvmlDevice device, std::string* uuid) {
      *uuid = *static_cast<std::string*>(device);
      return 0;
    };
    api.device_of_slice = [this](const std::string& uuid, NvmlDevice* device) {
      if (uuid != "MIG-1c54") return 6;
      *device = &uuids.back();
      return 0;
    };
    api.name = [](NvmlDevice, std::string* name) {
      *name = "Scripted GPU";
      return 0;
    };
    api.clock = [this](NvmlDevice, unsigned clock, unsigned* mhz) {
      *mhz = clock == NvmlApi::kSm ? sm_mhz : 2600;
      return 0;
    };
    api.max_clock = [](NvmlDevice, unsigned, unsigned* mhz) {
      *mhz = 1980;
      return 0;
    };
    api.power = [this](NvmlDevice, unsigned* milliwatts) {
      *milliwatts = power_mw;
      return 0;
    };
    api.power_limit = [](NvmlDevice, unsigned* milliwatts) {
      *milliwatts = 700'000;
      return 0;
    };
    api.temperature = [this](NvmlDevice, unsigned* celsius) {
      *celsius = temperature_c;
      return 0;
    };
    api.clock_reasons = [this](NvmlDevice, unsigned long long* bits) {
      *bits = reasons;
      return 0;
    };
    api.utilisation = [this](NvmlDevice, NvmlApi::Utilisation* out) {
      out->gpu = utilisation;
      return 0;
    };
    api.memory = [this](NvmlDevice, NvmlApi::Memory* out) {
      *out = {.total = 1000, .free = 1000 - memory_used, .used = memory_used};
      return 0;
    };
    api.persistence = [this](NvmlDevice, unsigned* on) {
      *on = persistence ? 1 : 0;
      return 0;
    };
    api.mig = [](NvmlDevice, unsigned*) { return kNotSupported; };
    api.ecc = [](NvmlDevice, unsigned* on) {
      *on = 1;
      return 0;
    };
    api.memory_errors = [this](NvmlDevice, unsigned long long* count) {
      *count = memory_errors;
      return 0;
    };
    api.processes = [this](NvmlDevice, std::vector<int>* pids) {
      *pids = processes;
      return 0;
    };
    return api;
  }

  int init_result = 0;
  int sessions = 0;
  int reads = 0;
  unsigned sm_mhz = 1980;
  unsigned power_mw = 300'000;
  unsigned temperature_c = 50;
  unsigned utilisation = 90;
  unsigned long long memory_used = 10;
  unsigned long long reasons = 0;
  unsigned long long memory_errors = 0;
  bool persistence = true;
  std::vector<int> processes = {};
  std::vector<std::string> uuids = {"GPU-8a1e4f00-7b"};
};

}  // namespace stepbench::machine
