// SPDX-License-Identifier: Apache-2.0
// Builds the same source with a different memory layout. The placement of code and data changes a
// step by a percent and more, and differs with every commit; a copy with a new random layout
// separates this from the effect of the commit. Compilers search for their linker in COMPILER_PATH:
// a wrapper there shuffles neighbouring object files, inserts gaps between them, and calls the real
// linker. Writes files; one thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace stepbench::bisect {

// Returns environment variables ("NAME=VALUE") for a build whose links use random layout `number`,
// from 1. The wrapper is written to `folder`; `compiler_path`: current value of COMPILER_PATH. A
// build that finds its linker elsewhere links as usual.
[[nodiscard]] std::vector<std::string> variables_of_layout(const std::filesystem::path& folder,
                                                           std::size_t number,
                                                           const std::string& compiler_path);

// Linked programs and libraries below `folder`, relative to it: these have a layout.
[[nodiscard]] std::vector<std::filesystem::path> linked_in(const std::filesystem::path& folder);

}  // namespace stepbench::bisect
