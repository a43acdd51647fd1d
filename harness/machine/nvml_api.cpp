// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/nvml_api.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>

namespace stepbench::machine {
namespace {

template <typename... Arguments>
std::function<int(Arguments...)> or_unsupported(int (*call)(Arguments...)) {
  if (call != nullptr) return call;
  return [](Arguments...) { return kNvmlNotSupported; };
}

using Text = std::array<char, 96>;

std::function<int(NvmlDevice, std::string*)> text_of(int (*call)(void*, char*, unsigned)) {
  return [read = or_unsupported(call)](NvmlDevice device, std::string* out) {
    Text text{};
    const int code = read(device, text.data(), static_cast<unsigned>(text.size()));
    *out = text.data();
    return code;
  };
}

std::function<int(NvmlDevice, unsigned*)> mode_of(int (*call)(void*, int*, int*)) {
  return [read = or_unsupported(call)](NvmlDevice device, unsigned* on) {
    int now = 0;
    int pending = 0;
    const int code = read(device, &now, &pending);
    *on = now != 0 ? 1 : 0;
    return code;
  };
}

void fill_identities(const NvmlCalls& calls, NvmlApi& api) {
  api.driver_version = [read = or_unsupported(calls.nvmlSystemGetDriverVersion)](std::string* out) {
    Text text{};
    const int code = read(text.data(), static_cast<unsigned>(text.size()));
    *out = text.data();
    return code;
  };
  api.cuda_version = or_unsupported(calls.nvmlSystemGetCudaDriverVersion_v2);
  api.device_count = or_unsupported(calls.nvmlDeviceGetCount_v2);
  api.device = or_unsupported(calls.nvmlDeviceGetHandleByIndex_v2);
  api.device_of_pci = [find = or_unsupported(calls.nvmlDeviceGetHandleByPciBusId_v2)](
                          const std::string& pci, NvmlDevice* device) {
    return find(pci.c_str(), device);
  };
  api.name = text_of(calls.nvmlDeviceGetName);
  api.uuid = text_of(calls.nvmlDeviceGetUUID);
  api.device_of_slice = [by_uuid = or_unsupported(calls.nvmlDeviceGetHandleByUUID),
                         whole =
                             or_unsupported(calls.nvmlDeviceGetDeviceHandleFromMigDeviceHandle)](
                            const std::string& uuid, NvmlDevice* device) {
    NvmlDevice slice = nullptr;
    const int code = by_uuid(uuid.c_str(), &slice);
    return code != 0 ? code : whole(slice, device);
  };
}

int processes_of(int (*list)(void*, unsigned*, NvmlProcess*), NvmlDevice device,
                 std::vector<int>* pids) {
  if (list == nullptr) return kNvmlNotSupported;
  std::vector<NvmlProcess> infos(64);
  auto count = static_cast<unsigned>(infos.size());
  int code = list(device, &count, infos.data());
  if (code == kNvmlInsufficientSize) {  // `count` is now the needed size
    infos.resize(std::size_t{count} * 2);
    count = static_cast<unsigned>(infos.size());
    code = list(device, &count, infos.data());
  }
  if (code != 0) return code;
  infos.resize(std::min<std::size_t>(count, infos.size()));
  for (const NvmlProcess& info : infos) pids->push_back(static_cast<int>(info.pid));
  return 0;
}

}  // namespace

std::optional<NvmlApi> load_nvml_api() {
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_LAZY | RTLD_LOCAL);  // never closed
  if (library == nullptr) return std::nullopt;
  os::Symbols symbols(library);
  const NvmlCalls calls(symbols);
  NvmlApi api;
  api.init = or_unsupported(calls.nvmlInit_v2);
  api.shutdown = or_unsupported(calls.nvmlShutdown);
  fill_identities(calls, api);
  api.clock = or_unsupported(calls.nvmlDeviceGetClockInfo);
  api.max_clock = or_unsupported(calls.nvmlDeviceGetMaxClockInfo);
  api.power = or_unsupported(calls.nvmlDeviceGetPowerUsage);
  api.power_limit = or_unsupported(calls.nvmlDeviceGetEnforcedPowerLimit);
  api.energy = or_unsupported(calls.nvmlDeviceGetTotalEnergyConsumption);
  api.temperature = [read = or_unsupported(calls.nvmlDeviceGetTemperature)](NvmlDevice device,
                                                                            unsigned* celsius) {
    return read(device, kNvmlGpuTemperature, celsius);
  };
  api.clock_reasons = or_unsupported(calls.nvmlDeviceGetCurrentClocksEventReasons != nullptr
                                         ? calls.nvmlDeviceGetCurrentClocksEventReasons
                                         : calls.nvmlDeviceGetCurrentClocksThrottleReasons);
  api.throttled = [read = or_unsupported(calls.nvmlDeviceGetFieldValues)](
                      NvmlDevice device, unsigned field, unsigned long long* ns) {
    NvmlField value;
    value.field = field;
    if (const int code = read(device, 1, &value); code != 0) return code;
    *ns = value.type == kNvmlUnsignedInt ? value.value.small : value.value.whole;
    return value.code;
  };
  api.utilisation = or_unsupported(calls.nvmlDeviceGetUtilizationRates);
  api.memory = or_unsupported(calls.nvmlDeviceGetMemoryInfo);
  api.persistence = [read = or_unsupported(calls.nvmlDeviceGetPersistenceMode)](NvmlDevice device,
                                                                                unsigned* on) {
    int mode = 0;
    const int code = read(device, &mode);
    *on = mode != 0 ? 1 : 0;
    return code;
  };
  api.mig = [read = or_unsupported(calls.nvmlDeviceGetMigMode)](NvmlDevice device, unsigned* on) {
    unsigned pending = 0;
    return read(device, on, &pending);
  };
  api.ecc = mode_of(calls.nvmlDeviceGetEccMode);
  api.memory_errors = [read = or_unsupported(calls.nvmlDeviceGetTotalEccErrors)](
                          NvmlDevice device, unsigned long long* errors) {
    return read(device, kNvmlUncorrected, kNvmlSinceDriverLoad, errors);
  };
  auto* const list = calls.nvmlDeviceGetComputeRunningProcesses_v3 != nullptr
                         ? calls.nvmlDeviceGetComputeRunningProcesses_v3
                         : calls.nvmlDeviceGetComputeRunningProcesses_v2;
  api.processes = [list](NvmlDevice device, std::vector<int>* pids) {
    return processes_of(list, device, pids);
  };
  return api;
}

}  // namespace stepbench::machine
