// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/device_state.h"

#include <dlfcn.h>
#include <algorithm>
#include <array>
#include <utility>

#include "harness/text/words.h"

namespace stepbench::machine {
namespace {

struct Reason {
  std::uint64_t bit;
  const char* text;
};
// Reasons that slow down a loaded device involuntarily.
constexpr std::array kThrottling = {
    Reason{kSlowdown, "hardware slowdown"}, Reason{kSoftwareThermal, "software thermal slowdown"},
    Reason{kHardwareThermal, "hardware thermal slowdown"}, Reason{kPowerBrake, "power brake"}};

// `value` is a reference: evaluating `code` fills it, in either order of evaluation.
template <typename Number>
std::optional<std::int64_t> whole(int code, const Number& value) {
  if (code != 0) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

std::optional<bool> truth(int code, const unsigned& value) {
  if (code != 0) return std::nullopt;
  return value != 0;
}

}  // namespace

std::unique_ptr<NvmlSession> NvmlSession::open(std::optional<NvmlApi> api) {
  if (!api || api->init() != 0) return nullptr;
  return std::unique_ptr<NvmlSession>(new NvmlSession(std::move(*api)));
}

NvmlSession::~NvmlSession() { (void)api_.shutdown(); }

int NvmlSession::devices() const {
  unsigned count = 0;
  return api_.device_count(&count) == 0 ? static_cast<int>(count) : 0;
}

std::optional<int> NvmlSession::index_of(const std::string& uuid) const {
  constexpr std::string_view kSlice = "MIG-";
  constexpr std::string_view kOldSlice = "MIG-GPU-";  // MIG-GPU-<of the device>/<instance>/<…>
  std::string wanted = uuid;
  if (uuid.starts_with(kOldSlice)) {
    wanted = uuid.substr(kSlice.size(), uuid.find('/') - kSlice.size());
  } else if (uuid.starts_with(kSlice)) {
    NvmlDevice whole = nullptr;
    if (api_.device_of_slice(uuid, &whole) != 0 || api_.uuid(whole, &wanted) != 0) {
      return std::nullopt;
    }
  }
  for (int i = 0; i < devices(); ++i) {
    NvmlDevice device = nullptr;
    std::string known;
    if (api_.device(static_cast<unsigned>(i), &device) == 0 && api_.uuid(device, &known) == 0 &&
        known.starts_with(wanted)) {
      return i;
    }
  }
  return std::nullopt;
}

std::string NvmlSession::driver_version() const {
  std::string version;
  return api_.driver_version(&version) == 0 ? version : std::string();
}

int NvmlSession::cuda_version() const {
  int version = 0;
  return api_.cuda_version(&version) == 0 ? version : 0;
}

std::optional<NvmlDevice> NvmlSession::device(int index) const {
  NvmlDevice device = nullptr;
  if (index < 0 || api_.device(static_cast<unsigned>(index), &device) != 0) return std::nullopt;
  return device;
}

std::optional<NvmlDevice> NvmlSession::device_of_pci(const std::string& pci) const {
  NvmlDevice device = nullptr;
  if (pci.empty() || api_.device_of_pci(pci, &device) != 0) return std::nullopt;
  return device;
}

std::optional<DeviceState> NvmlSession::read(int index) const {
  const auto known = device(index);
  if (!known) return std::nullopt;
  DeviceState state;
  read_facts(*known, state);
  read_changing(*known, state);
  return state;
}

void NvmlSession::read_facts(NvmlDevice device, DeviceState& state) const {
  if (api_.name(device, &state.name) != 0) state.name.clear();
  unsigned value = 0;
  state.max_sm_mhz = whole(api_.max_clock(device, kNvmlSmClock, &value), value);
  state.power_limit_mw = whole(api_.power_limit(device, &value), value);
  NvmlMemory memory;
  const int known = api_.memory(device, &memory);
  state.memory_total_bytes = whole(known, memory.total);
  state.persistence = truth(api_.persistence(device, &value), value);
  state.mig = truth(api_.mig(device, &value), value);
  state.ecc = truth(api_.ecc(device, &value), value);
}

void NvmlSession::read_changing(NvmlDevice device, DeviceState& state) const {
  unsigned value = 0;
  const int clock = api_.clock(device, kNvmlSmClock, &value);
  state.lost = clock == kNvmlGpuIsLost;
  if (state.lost) return;
  state.sm_mhz = whole(clock, value);
  state.memory_mhz = whole(api_.clock(device, kNvmlMemoryClock, &value), value);
  state.power_mw = whole(api_.power(device, &value), value);
  state.temperature_c = whole(api_.temperature(device, &value), value);
  NvmlUtilisation utilisation;
  const int utilised = api_.utilisation(device, &utilisation);
  state.utilisation_percent = whole(utilised, utilisation.gpu);
  NvmlMemory memory;
  const int known = api_.memory(device, &memory);
  state.memory_used_bytes = whole(known, memory.used);
  unsigned long long errors = 0;
  state.memory_errors = whole(api_.memory_errors(device, &errors), errors);
  unsigned long long reasons = 0;
  state.clock_reasons.reset();
  if (api_.clock_reasons(device, &reasons) == 0) state.clock_reasons = reasons;
  std::vector<int> processes;
  state.processes.reset();
  if (api_.processes(device, &processes) == 0) state.processes = std::move(processes);
}

DeviceCounters NvmlSession::read_counters(NvmlDevice device) const {
  DeviceCounters counters;
  unsigned long long value = 0;
  if (api_.energy(device, &value) == 0) counters.energy_mj = value;
  for (std::size_t i = 0; i < kCountedReasons.size(); ++i) {
    if (api_.throttled(device, kCountedReasons[i].field, &value) == 0) {
      counters.throttled_ns[i] = value;
    }
  }
  return counters;
}

std::string throttle_text(std::uint64_t clock_reasons) {
  std::vector<std::string_view> texts;
  for (const Reason& reason : kThrottling) {
    if ((clock_reasons & reason.bit) != 0) texts.emplace_back(reason.text);
  }
  return text::join(texts);
}

bool is_power_capped(std::uint64_t clock_reasons) { return (clock_reasons & kPowerCap) != 0; }

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
