// SPDX-License-Identifier: Apache-2.0
// Files that no data set can read: their apparent type, for error messages, and their number in a
// folder, so that missing data is reported.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/error.h"

namespace stepbench::data {

// Returns the file type that these first bytes indicate, by common magic numbers: "gzip", "PNG",
// ...; empty: unknown.
[[nodiscard]] std::string_view file_kind(std::span<const std::byte> start);
// "; this looks like a gzip file", or empty.
[[nodiscard]] std::string looks_like(std::span<const std::byte> start);

// "train.bin: offset 8: ..."
[[nodiscard]] ConfigError file_error(const std::string& path, std::uint64_t offset,
                                     const std::string& what);

// Skipped folder entries, by type.
struct SkippedFiles {
  std::int64_t dangling_links = 0;
  std::int64_t looping_links = 0;
  std::int64_t pipes = 0;
  std::int64_t sockets = 0;
  std::int64_t others = 0;  // devices, and entries that cannot be inspected

  // Counts an entry that is neither a file nor a folder.
  void add(const std::filesystem::directory_entry& entry);
  SkippedFiles& operator+=(const SkippedFiles& more);
  [[nodiscard]] std::int64_t count() const {
    return dangling_links + looping_links + pipes + sockets + others;
  }
};

// "3 of 515 files are left out: 2 dangling links and 1 pipe"; nullopt if there are none. `kept`:
// number of files that are not skipped.
[[nodiscard]] std::optional<std::string> skipped_files_note(const SkippedFiles& skipped_files,
                                                            std::int64_t kept);

// "train-000003.tar is not there, though its neighbours are"; nullopt if the numbers in the file
// names have no gap. `paths` must be sorted.
[[nodiscard]] std::optional<std::string> missing_files_note(std::span<const std::string> paths);

}  // namespace stepbench::data
