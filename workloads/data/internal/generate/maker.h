// SPDX-License-Identifier: Apache-2.0
// A row of the table of kinds that `stepbench data make` makes: the command line, its help, the
// checks and the manifest are derived from it. And the folder of the generated set. Each maker
// declares its row next to its code; the table is data_kinds.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/os/files.h"

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

struct MakerOption {
  std::string name;  // --name on the command line
  std::string doc;
  std::int64_t default_value = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::vector<std::string> choices = {};  // the value is then the index of the choice
};

struct MakerValues {
  std::filesystem::path out;
  std::map<std::string, std::int64_t, std::less<>> options = {};  // by name
  [[nodiscard]] std::int64_t at(std::string_view name) const { return options.find(name)->second; }
};

struct Maker {
  std::string kind;  // as data.kind
  std::string doc;
  std::string examples;
  std::vector<MakerOption> options;
  // Name of the option with the number of items, which also names the items.
  std::string counted;
  MadeFolder (*make)(const MakerValues& values, const MakeProgress& progress) = nullptr;
};

// Options shared by several makers.
[[nodiscard]] MakerOption seed_option();
[[nodiscard]] MakerOption samples_option(std::int64_t default_value);
[[nodiscard]] MakerOption label_classes_option(std::int64_t default_value, std::int64_t max);
[[nodiscard]] MakerOption size_option();
[[nodiscard]] MakerOption channels_option();

// Returns the default values.
[[nodiscard]] MakerValues maker_values(const Maker& maker, std::filesystem::path out);
// The manifest: the values that determine the set.
[[nodiscard]] std::string maker_manifest(const Maker& maker, const MakerValues& values);
// Checks the values and makes the set. The content is a function of the values. Existing files are
// kept, so an interrupted call can be repeated. Throws ConfigError naming the command-line option
// or the file.
[[nodiscard]] MadeFolder make_data(const Maker& maker, const MakerValues& values,
                                   const MakeProgress& progress);

}  // namespace stepbench::data
