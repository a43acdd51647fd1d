// SPDX-License-Identifier: Apache-2.0
// Reads whole files into reused memory.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stepbench::data {

// Reads a whole regular file into `bytes`, reusing its memory. The Error that it throws does not
// name the file.
void read_file(const std::string& path, std::size_t max_bytes, std::vector<std::byte>& bytes);

}  // namespace stepbench::data
