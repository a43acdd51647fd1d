// SPDX-License-Identifier: Apache-2.0
// NVIDIA devices as visible without CUDA: the controller never initialises a device.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepbench::machine {

using Variables = std::vector<std::pair<std::string, std::string>>;  // environment variables

struct Devices {
  int count = 0;
  std::string driver_version = {};       // empty: no driver
  int cuda_version = 0;                  // supported by the driver; 13000 is 13.0, 0: unknown
  std::vector<std::string> models = {};  // may be shorter than count
};

// Devices as NVML reports them; nullopt if it is absent or fails.
[[nodiscard]] std::optional<Devices> nvml_devices();

using ManagementLibrary = std::function<std::optional<Devices>()>;

// The count is that of NVML; names and driver come from /proc/driver if it is visible: sandboxes
// hide it.
[[nodiscard]] Devices find_devices(const std::filesystem::path& root,
                                   const ManagementLibrary& management_library);

// Also false if CUDA_VISIBLE_DEVICES hides every device.
[[nodiscard]] bool cuda_available(const Devices& devices, const Variables& variables);

// Number of devices that a process with these variables sees.
[[nodiscard]] int visible_devices(const Devices& devices, const Variables& variables);

// Parses the environment of main(): "NAME=value" entries, null-terminated. Skips entries without
// '='.
[[nodiscard]] Variables variables_of(const char* const* entries);

[[nodiscard]] std::optional<std::string_view> find_variable(const Variables& variables,
                                                            std::string_view name);

}  // namespace stepbench::machine
