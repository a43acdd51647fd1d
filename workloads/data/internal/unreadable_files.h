// SPDX-License-Identifier: Apache-2.0
// Files and samples that cannot be read: the apparent type of a file, for error messages; the
// number of such files in a folder, so that missing data is reported; and data.on_error: skip,
// which reads another sample instead.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "workloads/data/dataset.h"

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

// data.on_error: skip. Reads the next readable sample in place of an unreadable one.

inline constexpr std::int64_t kMaxSkipsInARow = 100;

// Calls read_one(key); if it throws Error, reads the next readable sample of the set instead and
// counts the skip.
template <typename ReadOne>
void read_skipping(const SampleKey& key, std::int64_t size, ReadCost& cost, ReadOne&& read_one) {
  const std::int64_t tries = std::min(size, kMaxSkipsInARow);
  std::string first_error;
  for (std::int64_t i = 0; i < tries; ++i) {
    SampleKey next = key;
    next.index = (key.index + i) % size;
    try {
      return read_one(next);
    } catch (const Error& error) {
      if (i > 0) continue;
      ++cost.skipped;
      first_error = error.what();
    }
  }
  throw Error("data.on_error: skip found " + std::to_string(tries) +
              " unreadable samples in a row; the first: " + first_error);
}

}  // namespace stepbench::data
