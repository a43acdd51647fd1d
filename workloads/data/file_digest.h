// SPDX-License-Identifier: Apache-2.0
// A digest of a file, to detect whether two cases read the same one.
#pragma once

#include <string>

namespace stepbench::data {

// The first 16 hex digits of XXH3-128 of a file's content, read in blocks. Throws Error naming the
// file.
[[nodiscard]] std::string file_digest(const std::string& path);

}  // namespace stepbench::data
