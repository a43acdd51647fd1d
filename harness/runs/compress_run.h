// SPDX-License-Identifier: Apache-2.0
// Packs what a run has written: result files and traces. Every reader takes both forms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace stepbench::runs {

struct Compressed {
  std::size_t files = 0;  // packed now
  std::uintmax_t before = 0;
  std::uintmax_t after = 0;
  std::vector<std::string> problems = {};  // of files that stay as they are: "FILE: why"
};

// A folder of a run, or one of its files. Throws ConfigError when a program is writing it, and when
// there is nothing of a run.
[[nodiscard]] Compressed compress_run(const std::filesystem::path& run);

// Bytes of its files that compress_run() would pack.
[[nodiscard]] std::uintmax_t plain_bytes(const std::filesystem::path& run);

}  // namespace stepbench::runs
