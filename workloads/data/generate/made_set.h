// SPDX-License-Identifier: Apache-2.0
// The folder of a made data set, with the manifest that says what it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <span>
#include <string>

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

// A file of a set, written piece by piece; it gets its name by commit(), else it is removed.
class MadeFile {
 public:
  explicit MadeFile(std::filesystem::path path);
  ~MadeFile();
  MadeFile(const MadeFile&) = delete;
  MadeFile& operator=(const MadeFile&) = delete;

  void append(std::span<const std::byte> bytes);
  void commit();

 private:
  std::filesystem::path path_;
  std::string part_;
  std::FILE* file_ = nullptr;
};

}  // namespace stepbench::data
