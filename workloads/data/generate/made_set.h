// SPDX-License-Identifier: Apache-2.0
// The folder of a made data set, with the manifest that says what it is.
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
  std::int64_t made = 0;   // files written by this call; 0: the same set was there already
  std::int64_t bytes = 0;  // of all files of the set
};

// Called from the calling thread with the number of items done so far.
using MakeProgress = std::function<void(std::int64_t done)>;

// A folder that holds one made set and nothing else. A manifest in it tells which; until finish()
// it has another name, so that an interrupted call can be repeated.
class MadeSet {
 public:
  // Throws ConfigError when the folder holds anything but this set, or cannot be made.
  MadeSet(std::filesystem::path folder, std::string manifest);

  // The size of a file of the set that is there and whole, or -1.
  [[nodiscard]] std::int64_t size_of(const std::filesystem::path& file) const;
  // Whole or not at all. Throws ConfigError: a full disk, a missing folder.
  static void write(const std::filesystem::path& file, std::span<const std::byte> bytes);
  void finish();

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::string manifest_;
};

// Gathers what is written piece by piece until it is worth a write. Throws as MadeSet::write()
// does.
class MadeFile {
 public:
  explicit MadeFile(const std::filesystem::path& path) : file_({}, path) {}

  void append(std::span<const std::byte> bytes);
  // It gets its name; without, nothing of it stays. Its size.
  [[nodiscard]] std::int64_t commit();

 private:
  os::OutputFile file_;
  std::string pending_;
  std::int64_t bytes_ = 0;
};

}  // namespace stepbench::data
