// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/devices.h"

#include <algorithm>

#include "harness/machine/device_state.h"
#include "harness/os/text_file.h"

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

}  // namespace stepbench::machine
