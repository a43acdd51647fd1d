// SPDX-License-Identifier: Apache-2.0
// Whether this CPU has instructions for a number format, or libtorch computes it in software.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/findings/finding.h"

namespace stepbench::machine {

// As the kernel names them: "avx512_bf16". Empty when unreadable. `root` stands for "/".
[[nodiscard]] std::set<std::string, std::less<>> cpu_features(const std::filesystem::path& root);

// For `precision` bf16 or fp16 on a CPU whose features are known and lack it.
[[nodiscard]] std::optional<Finding> emulated_precision(
    std::string_view precision, const std::set<std::string, std::less<>>& features);

}  // namespace stepbench::machine
