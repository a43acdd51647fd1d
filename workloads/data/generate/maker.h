// SPDX-License-Identifier: Apache-2.0
// One kind of data set that `stepbench data make` generates: its command line, help, checks and
// manifest are derived from this row. Each maker declares its row in its own file; data_kinds.h has
// the table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/data/generate/made_set.h"

namespace stepbench::data {

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
