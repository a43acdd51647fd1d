// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/nvml_api.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <initializer_list>

namespace stepbench {
namespace {

constexpr int kNotSupported = 3;
constexpr int kInsufficientSize = 7;
constexpr int kGpuTemperature = 0;

struct ProcessInfo {  // nvmlProcessInfo_t
  unsigned pid;
  unsigned long long used_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};

template <typename... Arguments>
std::function<int(Arguments...)> find(void* library, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* found = ::dlsym(library, name)) {
      return reinterpret_cast<int (*)(Arguments...)>(found);
    }
  }
  return [](Arguments...) { return kNotSupported; };
}

}  // namespace

std::optional<NvmlApi> load_nvml_api() {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);  // stays for the process
  if (library == nullptr) return std::nullopt;
  NvmlApi api;
  api.init = find<>(library, {"nvmlInit_v2"});
  api.shutdown = find<>(library, {"nvmlShutdown"});
  api.device_count = find<unsigned*>(library, {"nvmlDeviceGetCount_v2"});
  api.device = find<unsigned, NvmlDevice*>(library, {"nvmlDeviceGetHandleByIndex_v2"});
  api.name = [name = find<NvmlDevice, char*, unsigned>(library, {"nvmlDeviceGetName"})](
                 NvmlDevice device, std::string* out) {
    std::array<char, 96> text{};
    const int code = name(device, text.data(), static_cast<unsigned>(text.size()));
    *out = text.data();
    return code;
  };
  api.clock = find<NvmlDevice, unsigned, unsigned*>(library, {"nvmlDeviceGetClockInfo"});
  api.max_clock = find<NvmlDevice, unsigned, unsigned*>(library, {"nvmlDeviceGetMaxClockInfo"});
  api.power = find<NvmlDevice, unsigned*>(library, {"nvmlDeviceGetPowerUsage"});
  api.power_limit = find<NvmlDevice, unsigned*>(library, {"nvmlDeviceGetEnforcedPowerLimit"});
  api.temperature =
      [read = find<NvmlDevice, int, unsigned*>(library, {"nvmlDeviceGetTemperature"})](
          NvmlDevice device, unsigned* celsius) { return read(device, kGpuTemperature, celsius); };
  api.clock_reasons = find<NvmlDevice, unsigned long long*>(
      library,
      {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  api.utilisation =
      find<NvmlDevice, NvmlApi::Utilisation*>(library, {"nvmlDeviceGetUtilizationRates"});
  api.memory = find<NvmlDevice, NvmlApi::Memory*>(library, {"nvmlDeviceGetMemoryInfo"});
  api.persistence = find<NvmlDevice, unsigned*>(library, {"nvmlDeviceGetPersistenceMode"});
  api.mig = [mode = find<NvmlDevice, unsigned*, unsigned*>(library, {"nvmlDeviceGetMigMode"})](
                NvmlDevice device, unsigned* on) {
    unsigned pending = 0;
    return mode(device, on, &pending);
  };
  api.processes = [list = find<NvmlDevice, unsigned*, ProcessInfo*>(
                       library, {"nvmlDeviceGetComputeRunningProcesses_v3"})](
                      NvmlDevice device, std::vector<int>* pids) {
    std::array<ProcessInfo, 256> infos{};
    unsigned count = infos.size();
    const int code = list(device, &count, infos.data());
    if (code != 0 && code != kInsufficientSize) return code;
    for (unsigned i = 0; i < std::min<unsigned>(count, infos.size()); ++i) {
      pids->push_back(static_cast<int>(infos[i].pid));
    }
    return 0;
  };
  return api;
}

}  // namespace stepbench
