// SPDX-License-Identifier: Apache-2.0
// Files as gzip: readers take them packed or plain. Any thread, one call at a time for each file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace stepbench::record {

// One gzip member. `level`: 1 is quick, 12 is small.
inline constexpr int kPackLevel = 9;
[[nodiscard]] std::string gzip_text(std::string_view text, int level = kPackLevel);

struct PackedSizes {
  std::uintmax_t before = 0;
  std::uintmax_t after = 0;
};

// FILE becomes FILE.gz with the same time of change and permissions. The packed file is read back
// and compared, byte for byte, before the plain one goes; a program that is killed leaves the plain
// one, the packed one, or both. Both, where they are equal, are taken for such a half-done job and
// finished. Throws ConfigError for a file that is being written, one that changes meanwhile, a
// FILE.gz with other content, and one that no reader would unpack; nothing has changed then.
PackedSizes pack_file(const std::filesystem::path& file);

}  // namespace stepbench::record
