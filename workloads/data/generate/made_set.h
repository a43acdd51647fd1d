// SPDX-License-Identifier: Apache-2.0
// The folder of a generated data set, with its manifest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

#include "harness/os/output_file.h"

namespace stepbench::data {

struct MadeFolder {
  std::int64_t made = 0;   // files written by this call; 0: the set already existed
  std::int64_t bytes = 0;  // of all files of the set
};

// Called on the calling thread with the number of items done so far.
using MakeProgress = std::function<void(std::int64_t done)>;

// A folder with one generated set and nothing else. Its manifest identifies the set; until finish()
// it has another name, so that an interrupted call can be repeated.
class MadeSet {
 public:
  // Throws ConfigError if the folder contains anything but this set, or cannot be created.
  MadeSet(std::filesystem::path folder, std::string manifest);

  // The size of a complete file of the set; -1: missing or empty.
  [[nodiscard]] std::int64_t size_of(const std::filesystem::path& file) const;
  // Writes atomically. Throws ConfigError, e.g. for a full disk or a missing folder.
  static void write(const std::filesystem::path& file, std::span<const std::byte> bytes);
  void finish();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::string manifest_;
};

// Buffers small pieces into larger writes. Throws as MadeSet::write() does.
class MadeFile {
 public:
  explicit MadeFile(const std::filesystem::path& path) : file_({}, path) {}

  void append(std::span<const std::byte> bytes);
  // Gives the file its name and returns its size; without commit() no file remains.
  [[nodiscard]] std::int64_t commit();

 private:
  os::OutputFile file_;
  std::string pending_;
  std::int64_t bytes_ = 0;
};

}  // namespace stepbench::data
