// SPDX-License-Identifier: Apache-2.0
// Processes as seen from outside, in /proc. `root` stands for "/".
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <vector>

namespace stepbench {

[[nodiscard]] std::vector<pid_t> children_of(const std::filesystem::path& root, pid_t parent);
[[nodiscard]] std::vector<pid_t> process_tree(const std::filesystem::path& root,
                                              pid_t top);  // `top` first

}  // namespace stepbench
