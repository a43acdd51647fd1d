// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace stepbench {

// What a device can do at most, in FLOP/s of dense matrix products, by the name that its driver
// gives it and the value of model.precision. Nothing for a device that is not in the table.
[[nodiscard]] std::optional<double> device_peak_flops(std::string_view device_name,
                                                      std::string_view precision);

// The name that all of the machine's NVIDIA devices share, as the driver's files give it; nothing
// when there are none, or different ones.
[[nodiscard]] std::optional<std::string> nvidia_device_name(
    const std::filesystem::path& gpus = "/proc/driver/nvidia/gpus");

// Whether one of them is divided into instances (MIG), each with a part of the peak.
[[nodiscard]] bool has_divided_device(
    const std::filesystem::path& capabilities = "/proc/driver/nvidia/capabilities");

}  // namespace stepbench
