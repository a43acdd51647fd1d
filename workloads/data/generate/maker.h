// SPDX-License-Identifier: Apache-2.0
// What `stepbench data make` knows of one kind of data set: the command line, its help, the checks
// and the manifest are made from it. Each maker declares its row beside its code; the table is
// data_kinds.h.
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
  std::string name;  // on the command line: --name
  std::string doc;
  std::int64_t default_value = 0;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::vector<std::string> choices = {};  // then the value is the position of the one chosen
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
  // The option that says how many items there will be, and what they are.
  std::string counted;
  MadeFolder (*make)(const MakerValues& values, const MakeProgress& progress) = nullptr;
};

// Options of several makers.
[[nodiscard]] MakerOption seed_option();
[[nodiscard]] MakerOption samples_option(std::int64_t default_value);
[[nodiscard]] MakerOption label_classes_option(std::int64_t default_value, std::int64_t max);
[[nodiscard]] MakerOption size_option();
[[nodiscard]] MakerOption channels_option();

// With the default values.
[[nodiscard]] MakerValues maker_values(const Maker& maker, std::filesystem::path out);
// What the set is made from, for its manifest.
[[nodiscard]] std::string maker_manifest(const Maker& maker, const MakerValues& values);
// Checks the values and makes the set. The content is a function of the values. What is there
// already is kept, so an interrupted call can be repeated. Throws ConfigError naming the command
// line's option or the file.
[[nodiscard]] MadeFolder make_data(const Maker& maker, const MakerValues& values,
                                   const MakeProgress& progress);

}  // namespace stepbench::data
