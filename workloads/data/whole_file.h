// SPDX-License-Identifier: Apache-2.0
// Reads a whole file: its bytes into reused memory, or a digest of them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stepbench::data {

// Reads a whole regular file into `bytes`, reusing its memory. The Error that it throws does not
// name the file.
void read_file(const std::string& path, std::size_t max_bytes, std::vector<std::byte>& bytes);

// Digest of a file, to detect whether two cases read the same one.

// The first 16 hex digits of XXH3-128 of a file's content, read in blocks. Throws Error naming the
// file.
[[nodiscard]] std::string file_digest(const std::string& path);

}  // namespace stepbench::data
