// SPDX-License-Identifier: Apache-2.0
// Reads a whole file into memory that is used again.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stepbench::data {

// Reads a whole regular file into `bytes`, whose memory is reused. Throws Error without the name.
void read_file(const std::string& path, std::size_t max_bytes, std::vector<std::byte>& bytes);

}  // namespace stepbench::data
