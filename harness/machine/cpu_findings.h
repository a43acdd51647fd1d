// SPDX-License-Identifier: Apache-2.0
// Findings on a step on the CPU: a number format that libtorch computes in software, more threads
// than cores, CPUs that were taken away. `root` replaces "/". Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/findings/finding.h"

namespace stepbench::machine {

// Kernel names of CPU features: "avx512_bf16". Empty if unreadable. `root` replaces "/".
[[nodiscard]] std::set<std::string, std::less<>> cpu_features(const std::filesystem::path& root);

// Returns a finding if `precision` is bf16 or fp16 and the known features of the CPU lack it.
[[nodiscard]] std::optional<Finding> emulated_precision(
    std::string_view precision, const std::set<std::string, std::less<>>& features);

// For a step on the CPU: `intra_op` threads share each large operation, on the `cores` that this
// process may use.
[[nodiscard]] std::optional<Finding> crowded_threads(std::int64_t intra_op, std::int64_t cores);

// For a thread that may use fewer of its CPUs than when its process started.
[[nodiscard]] std::optional<Finding> bound_cpus(const std::vector<int>& at_start,
                                                const std::vector<int>& now);

}  // namespace stepbench::machine
