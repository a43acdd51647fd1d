// SPDX-License-Identifier: Apache-2.0
// A build of the same source with a layout in memory of its own. Where code and data lie changes
// what a step takes by a percent and more, and with every commit; a copy whose layout was drawn
// anew tells this from what the commit did. Compilers look for their linker where COMPILER_PATH
// says: there stands one that shuffles neighbouring object files, puts gaps between them, and
// leaves the rest to the real one. Writes files; one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace stepbench::bisect {

// Variables, "NAME=VALUE", of a build whose links draw layout `number`, from 1 on. `folder` gets
// the linker; `compiler_path`: what COMPILER_PATH is now. A build that finds its linker elsewhere
// links as always.
[[nodiscard]] std::vector<std::string> variables_of_layout(const std::filesystem::path& folder,
                                                           std::size_t number,
                                                           const std::string& compiler_path);

// Linked programs and libraries below `folder`, relative to it: they have a layout.
[[nodiscard]] std::vector<std::filesystem::path> linked_in(const std::filesystem::path& folder);

}  // namespace stepbench::bisect
