// SPDX-License-Identifier: Apache-2.0
// NVIDIA devices as far as they can be seen without CUDA: the controller never initialises a
// device.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stepbench::machine {

using Variables = std::vector<std::pair<std::string, std::string>>;  // of the environment

struct Devices {
  int count = 0;
  std::string driver_version = {};       // empty: no driver
  int cuda_version = 0;                  // that the driver runs; 13000 is 13.0, 0: not told
  std::vector<std::string> models = {};  // as far as the driver tells; may be shorter than count
};

// What the management library says; nullopt if it is absent or refuses.
[[nodiscard]] std::optional<Devices> nvml_devices();

using ManagementLibrary = std::function<std::optional<Devices>()>;

// Its count holds; names and driver are those of /proc/driver where that is shown: sandboxes hide
// it.
[[nodiscard]] Devices find_devices(const std::filesystem::path& root,
                                   const ManagementLibrary& management_library);

// False too when CUDA_VISIBLE_DEVICES hides every device.
[[nodiscard]] bool cuda_available(const Devices& devices, const Variables& variables);

// How many of them a process with these variables sees.
[[nodiscard]] int visible_devices(const Devices& devices, const Variables& variables);

// As main() finds them: "NAME=value" each, null at the end. What has no = is left out.
[[nodiscard]] Variables variables_of(const char* const* entries);

// The value of a variable; nullopt if unset.
[[nodiscard]] std::optional<std::string_view> find_variable(const Variables& variables,
                                                            std::string_view name);

}  // namespace stepbench::machine
