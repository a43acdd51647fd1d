// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/environment.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "harness/machine/device_state.h"
#include "harness/machine/processes.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "harness/text/numbers.h"
#include "harness/text/secrets.h"

namespace stepbench::machine {
namespace {

namespace fs = std::filesystem;

// "NVRM version: NVIDIA UNIX x86_64 Kernel Module 570.86.10 Thu Jan ...": returns the first word
// that looks like a version.
std::string driver_version(const std::string& text) {
  for (const std::string_view word :
       os::split_words(std::string_view{text}.substr(0, text.find('\n')))) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    if (is_digit(word.front()) && word.find('.') != std::string_view::npos &&
        std::all_of(word.begin(), word.end(), [&](char c) { return is_digit(c) || c == '.'; })) {
      return std::string{word};
    }
  }
  return {};
}

// Counts nvidia0, nvidia1, …: some containers show nothing else of a driver.
int device_files(const fs::path& dev) {
  constexpr std::string_view kPrefix = "nvidia";
  int count = 0;
  std::error_code error;
  for (fs::directory_iterator at{dev, error}, end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (name.starts_with(kPrefix) &&
        os::parse_integer(std::string_view{name}.substr(kPrefix.size()))) {
      ++count;
    }
  }
  return count;
}

}  // namespace

std::optional<Devices> nvml_devices() {
  const auto session = NvmlSession::open(load_nvml_api());
  if (session == nullptr) return std::nullopt;
  Devices devices{.count = session->devices(),
                  .driver_version = session->driver_version(),
                  .cuda_version = session->cuda_version()};
  for (int i = 0; i < devices.count; ++i) {
    DeviceState facts;
    if (const auto device = session->device(i)) session->read_facts(*device, facts);
    devices.models.push_back(facts.name);
  }
  return devices;
}

Devices find_devices(const fs::path& root, const ManagementLibrary& management_library) {
  Devices devices;
  if (const auto version = os::read_text(root / "proc/driver/nvidia/version")) {
    devices.driver_version = driver_version(*version);
  }
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at{root / "proc/driver/nvidia/gpus", error}, end; !error && at != end;
       at.increment(error)) {
    entries.push_back(at->path());
  }
  std::sort(entries.begin(), entries.end());
  for (const fs::path& entry : entries) {
    const std::string text = os::read_text(entry / "information").value_or("");
    if (const auto model = os::find_field(text, "Model")) devices.models.emplace_back(*model);
  }
  devices.count = static_cast<int>(entries.size());
  if (devices.count == 0) devices.count = device_files(root / "dev");
  if (auto library = management_library ? management_library() : std::nullopt) {
    devices.count = library->count;
    devices.cuda_version = library->cuda_version;
    if (devices.driver_version.empty()) devices.driver_version = std::move(library->driver_version);
    if (devices.models.empty()) devices.models = std::move(library->models);
  }
  return devices;
}

Variables variables_of(const char* const* entries) {
  Variables variables;
  for (; *entries != nullptr; ++entries) {
    const std::string_view text = *entries;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

std::optional<std::string_view> find_variable(const Variables& variables, std::string_view name) {
  for (const auto& [key, value] : variables) {
    if (key == name) return value;
  }
  return std::nullopt;
}

bool cuda_available(const Devices& devices, const Variables& variables) {
  if (devices.count == 0) return false;
  const auto visible = find_variable(variables, "CUDA_VISIBLE_DEVICES");
  return !visible || !(visible->empty() || visible->starts_with("-1") || *visible == "none" ||
                       *visible == "NoDevFiles");
}

int visible_devices(const Devices& devices, const Variables& variables) {
  if (!cuda_available(devices, variables)) return 0;
  const auto visible = find_variable(variables, "CUDA_VISIBLE_DEVICES");
  if (!visible) return devices.count;
  const auto named = static_cast<int>(std::ranges::count(*visible, ',')) + 1;
  return std::min(named, devices.count);
}

namespace {

namespace fs = std::filesystem;

void put(Fields& fields, std::string_view name, const std::optional<std::string>& value) {
  if (value && !value->empty()) fields.emplace(name, *value);
}

void put_cpu(Fields& fields, const fs::path& root) {
  const std::string text = os::read_text(root / "proc/cpuinfo").value_or("");
  std::int64_t logical = 0;
  std::set<std::pair<std::string, std::string>> cores;  // package, core id
  std::string package = "0";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = std::string_view{text}.substr(at, end - at);
    at = end + 1;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string_view name = os::trim(line.substr(0, colon));
    const std::string value{os::trim(line.substr(colon + 1))};
    if (name == "processor") ++logical;
    if (name == "model name") fields.emplace("cpu.model", value);
    if (name == "physical id") package = value;
    if (name == "core id") cores.emplace(package, value);
  }
  if (logical > 0) fields.emplace("cpu.logical", logical);
  if (!cores.empty()) fields.emplace("cpu.cores", static_cast<std::int64_t>(cores.size()));
}

void put_frequency(Fields& fields, const fs::path& root) {
  const fs::path cpu = root / "sys/devices/system/cpu";
  put(fields, "cpu.governor", os::read_line(cpu / "cpu0/cpufreq/scaling_governor"));
  if (const auto khz = os::read_integer(cpu / "cpu0/cpufreq/cpuinfo_max_freq"))
    fields.emplace("cpu.max_khz", *khz);
  if (const auto off = os::read_integer(cpu / "intel_pstate/no_turbo")) {
    fields.emplace("cpu.turbo", *off == 0);
  } else if (const auto boost = os::read_integer(cpu / "cpufreq/boost")) {
    fields.emplace("cpu.turbo", *boost != 0);
  }
  put(fields, "cpu.smt", os::read_line(cpu / "smt/control"));
  put(fields, "numa.nodes", os::read_line(root / "sys/devices/system/node/online"));
}

void put_kernel(Fields& fields, const fs::path& root) {
  put(fields, "kernel", os::read_line(root / "proc/sys/kernel/osrelease"));
  const std::string os = os::read_text(root / "etc/os-release").value_or("");
  for (std::size_t at = 0; at < os.size();) {
    const std::size_t end = std::min(os.find('\n', at), os.size());
    std::string_view line = std::string_view{os}.substr(at, end - at);
    at = end + 1;
    constexpr std::string_view kName = "PRETTY_NAME=";
    if (!line.starts_with(kName)) continue;
    line.remove_prefix(kName.size());
    if (line.size() >= 2 && line.front() == '"') line = line.substr(1, line.size() - 2);
    fields.emplace("os", std::string{line});
  }
  const auto aslr = os::read_integer(root / "proc/sys/kernel/randomize_va_space");
  if (aslr) fields.emplace("aslr", *aslr != 0);
}

std::optional<std::int64_t> memory_bytes(const fs::path& root) {
  const std::string text = os::read_text(root / "proc/meminfo").value_or("");
  const auto field = os::find_field(text, "MemTotal");
  const auto kib = field ? os::parse_integer(*field) : std::nullopt;
  return kib ? std::optional{*kib * 1024} : std::nullopt;
}

std::string affinity_list(const fs::path& root) {
  const std::string text = os::read_text(root / "proc/self/status").value_or("");
  return std::string{os::find_field(text, "Cpus_allowed_list").value_or("")};
}

}  // namespace

std::vector<int> cpus_in_affinity(const fs::path& root) {
  return text::parse_cpu_list(affinity_list(root)).value_or(std::vector<int>{});
}

int cores_in_affinity(const fs::path& root) {
  return std::max(1, static_cast<int>(cpus_in_affinity(root).size()));
}

double usable_cores(const fs::path& root) {
  const double cores = cores_in_affinity(root);
  return std::min(cores, Cgroup(root).cpu_quota().value_or(cores));
}

std::string host_name(const fs::path& root) {
  const auto name = os::read_line(root / "proc/sys/kernel/hostname");
  return name && !name->empty() ? *name : "unknown";
}

Fields host_environment(const fs::path& root, const Devices& devices) {
  Fields fields;
  fields.emplace("host", host_name(root));
  put_kernel(fields, root);
  put_cpu(fields, root);
  put_frequency(fields, root);
  put(fields, "cpu.affinity", affinity_list(root));
  if (const auto bytes = memory_bytes(root)) fields.emplace("memory.bytes", *bytes);
  put(fields, "memory.thp",
      os::selected_word(
          os::read_line(root / "sys/kernel/mm/transparent_hugepage/enabled").value_or("")));
  const Cgroup cgroup{root};
  if (const auto quota = cgroup.cpu_quota()) fields.emplace("cgroup.cpu_quota_cores", *quota);
  if (const auto limit = cgroup.memory_limit_bytes())
    fields.emplace("cgroup.memory_limit_bytes", *limit);
  fields.emplace("gpu.count", static_cast<std::int64_t>(devices.count));
  put(fields, "gpu.driver", devices.driver_version);
  for (std::size_t index = 0; index < devices.models.size(); ++index) {
    put(fields, "gpu." + std::to_string(index), devices.models[index]);
  }
  return fields;
}

Fields git_state(const std::filesystem::path& directory) {
  const auto git = [&](std::vector<std::string> arguments) {
    return os::run_git(directory, std::move(arguments));
  };
  Fields fields;
  const os::CommandResult head = git({"rev-parse", "HEAD"});
  if (!head.started || head.exit_status != 0) return fields;
  fields.emplace("git.sha", std::string{os::trim(head.out)});
  const os::CommandResult branch = git({"rev-parse", "--abbrev-ref", "HEAD"});
  if (branch.exit_status == 0) fields.emplace("git.branch", std::string{os::trim(branch.out)});
  const os::CommandResult status = git({"status", "--porcelain", "--untracked-files=no"});
  if (status.exit_status == 0 && !status.timed_out)
    fields.emplace("git.dirty", !os::trim(status.out).empty());
  return fields;
}

namespace {

constexpr std::array<std::string_view, 2> kDenied = {"CUDA_INJECTION64_PATH",
                                                     "NVTX_INJECTION64_PATH"};
constexpr std::array<std::string_view, 1> kDeniedPrefixes = {"KINETO_"};
constexpr std::array<std::string_view, 5> kRelevant = {"LD_PRELOAD", "LD_LIBRARY_PATH",
                                                       "LD_BIND_NOW", "NUMEXPR_NUM_THREADS",
                                                       "TOKENIZERS_PARALLELISM"};
constexpr std::array<std::string_view, 17> kRelevantPrefixes = {
    "OMP_",      "GOMP_",    "KMP_",    "MKL_",    "DNNL_",         "ONEDNN_",
    "OPENBLAS_", "CUDA_",    "CUBLAS_", "CUDNN_",  "NCCL_",         "GLOO_",
    "NVIDIA_",   "PYTORCH_", "TORCH_",  "MALLOC_", "GLIBC_TUNABLES"};

void set(Variables& variables, std::string_view name, std::string value) {
  const auto found = std::find_if(variables.begin(), variables.end(),
                                  [&](const auto& variable) { return variable.first == name; });
  if (found == variables.end()) {
    variables.emplace_back(name, std::move(value));
  } else {
    found->second = std::move(value);
  }
}

// By default glibc returns the top of the heap to the kernel when a step frees its tensors and
// faults it in again in the next step: thousands of page faults per step or none, depending on the
// heap's layout. With these settings model steps keep freed memory. The first value is glibc's own
// upper limit.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kKeepFreedMemory = {
    {{"MALLOC_MMAP_THRESHOLD_", "33554432"}, {"MALLOC_TRIM_THRESHOLD_", "1099511627776"}}};

bool chooses_allocator(const Variables& variables) {
  return std::any_of(variables.begin(), variables.end(), [](const auto& variable) {
    return variable.first.starts_with("MALLOC_") || variable.first == "GLIBC_TUNABLES" ||
           variable.first == "LD_PRELOAD";
  });
}

}  // namespace

bool is_denied(std::string_view variable) {
  return std::find(kDenied.begin(), kDenied.end(), variable) != kDenied.end() ||
         std::any_of(kDeniedPrefixes.begin(), kDeniedPrefixes.end(),
                     [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

LauncherEnvironment launcher_environment(const Variables& inherited, const ResolvedCase& resolved) {
  LauncherEnvironment environment;
  for (const auto& [name, value] : inherited) {
    if (is_denied(name)) {
      environment.removed.push_back(name);
    } else {
      environment.variables.emplace_back(name, value);
    }
  }
  const auto threads = resolved.options.find("threads.intra_op");
  if (threads != resolved.options.end() && std::holds_alternative<std::int64_t>(threads->second)) {
    set(environment.variables, "OMP_NUM_THREADS", to_text(threads->second));
    set(environment.variables, "MKL_NUM_THREADS", to_text(threads->second));
  }
  if (resolved.has("model.kind") && !chooses_allocator(environment.variables)) {
    for (const auto& [name, value] : kKeepFreedMemory)
      set(environment.variables, name, std::string(value));
  }
  constexpr std::string_view kSection = "env.";
  for (const auto& [name, value] : resolved.options) {
    if (name.starts_with(kSection) && !is_null(value)) {
      set(environment.variables, std::string_view{name}.substr(kSection.size()), to_text(value));
    }
  }
  return environment;
}

Fields relevant_variables(const Variables& variables) {
  Fields fields;
  for (const auto& [name, value] : variables) {
    const std::string_view whole = name;
    const auto starts = [whole](std::string_view prefix) { return whole.starts_with(prefix); };
    if (std::find(kRelevant.begin(), kRelevant.end(), whole) != kRelevant.end() ||
        std::any_of(kRelevantPrefixes.begin(), kRelevantPrefixes.end(), starts)) {
      fields.emplace("env." + name, text::is_secret_name(name) ? std::string{text::kMask} : value);
    }
  }
  return fields;
}

}  // namespace stepbench::machine
