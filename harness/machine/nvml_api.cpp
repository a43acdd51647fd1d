// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/nvml_api.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <initializer_list>

namespace stepbench::machine {
namespace {

constexpr int kNotSupported = 3;
constexpr int kInsufficientSize = 7;
constexpr int kGpuTemperature = 0;

struct ProcessInfo {  // nvmlProcessInfo_t, the same for the second and the third version of the
                      // call
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

std::function<int(NvmlDevice, std::string*)> text_of(void* library, const char* call) {
  return [read = find<NvmlDevice, char*, unsigned>(library, {call})](NvmlDevice device,
                                                                     std::string* out) {
    std::array<char, 96> text{};
    const int code = read(device, text.data(), static_cast<unsigned>(text.size()));
    *out = text.data();
    return code;
  };
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
  api.name = text_of(library, "nvmlDeviceGetName");
  api.uuid = text_of(library, "nvmlDeviceGetUUID");
  api.device_of_slice = [by_uuid =
                             find<const char*, NvmlDevice*>(library, {"nvmlDeviceGetHandleByUUID"}),
                         whole = find<NvmlDevice, NvmlDevice*>(
                             library, {"nvmlDeviceGetDeviceHandleFromMigDeviceHandle"})](
                            const std::string& uuid, NvmlDevice* device) {
    NvmlDevice slice = nullptr;
    const int code = by_uuid(uuid.c_str(), &slice);
    return code != 0 ? code : whole(slice, device);
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
  api.ecc = [mode = find<NvmlDevice, unsigned*, unsigned*>(library, {"nvmlDeviceGetEccMode"})](
                NvmlDevice device, unsigned* on) {
    unsigned pending = 0;
    return mode(device, on, &pending);
  };
  api.memory_errors = [count = find<NvmlDevice, int, int, unsigned long long*>(
                           library, {"nvmlDeviceGetTotalEccErrors"})](NvmlDevice device,
                                                                      unsigned long long* errors) {
    constexpr int kUncorrected = 1;
    constexpr int kSinceDriverLoad = 0;
    return count(device, kUncorrected, kSinceDriverLoad, errors);
  };
  api.processes = [list = find<NvmlDevice, unsigned*, ProcessInfo*>(
                       library, {"nvmlDeviceGetComputeRunningProcesses_v3",
                                 "nvmlDeviceGetComputeRunningProcesses_v2"})](
                      NvmlDevice device, std::vector<int>* pids) {
    std::vector<ProcessInfo> infos(64);
    auto count = static_cast<unsigned>(infos.size());
    int code = list(device, &count, infos.data());
    if (code == kInsufficientSize) {  // `count` says what is needed
      infos.resize(std::size_t{count} * 2);
      count = static_cast<unsigned>(infos.size());
      code = list(device, &count, infos.data());
    }
    if (code != 0) return code;
    infos.resize(std::min<std::size_t>(count, infos.size()));
    for (const ProcessInfo& info : infos) pids->push_back(static_cast<int>(info.pid));
    return 0;
  };
  return api;
}

}  // namespace stepbench::machine
