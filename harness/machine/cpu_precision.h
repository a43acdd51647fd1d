// SPDX-License-Identifier: Apache-2.0
// Detects number formats without CPU instructions, which libtorch computes in software.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "harness/findings/finding.h"

namespace stepbench::machine {

// Kernel names of CPU features: "avx512_bf16". Empty if unreadable. `root` replaces "/".
[[nodiscard]] std::set<std::string, std::less<>> cpu_features(const std::filesystem::path& root);

// Returns a finding if `precision` is bf16 or fp16 and the known features of the CPU lack it.
[[nodiscard]] std::optional<Finding> emulated_precision(
    std::string_view precision, const std::set<std::string, std::less<>>& features);

}  // namespace stepbench::machine
