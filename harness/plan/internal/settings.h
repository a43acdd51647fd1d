// SPDX-License-Identifier: Apache-2.0
// Settings of the file outside `sweep` and of --set, each checked against the catalogue.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/plan/option_index.h"
#include "harness/plan/yaml_document.h"

namespace stepbench::plan {

struct Setting {
  Value value;
  std::string where;
};

struct Settings {
  std::map<std::string, Setting, std::less<>> options;       // by full name
  std::map<std::string, std::string, std::less<>> sections;  // location of each section's key
};

// Collects the errors of one file, so that the user can fix them all at once. Thrown as one
// ConfigError with the first one's `where`; each further one is a line "where: what".
class ConfigErrors {
 public:
  void add(std::string where, std::string what);
  [[nodiscard]] bool empty() const { return errors_.empty(); }
  void throw_if_any() const;

 private:
  std::vector<std::pair<std::string, std::string>> errors_;
};

// Shared by the parts of the planner while they read one file.
struct ParseContext {
  const std::string& source;
  const OptionIndex& index;
  InterpolationVariables variables;
  ConfigErrors& errors;
};

// `root` is the whole file; its key `sweep` is read by read_sweep().
[[nodiscard]] Settings read_settings(const ConfigNode& root, const ParseContext& context);

// `--set loader.num_workers=4`, in order. Accepts unambiguous short names.
void apply_set(std::span<const std::string> assignments, const ParseContext& context,
               Settings& settings);

// Adds an error if a file or folder that must exist is missing. Call after apply_set(): replaced
// paths are not checked.
void check_path(const std::string& name, const Value& value, const std::string& where,
                const ParseContext& context);
void check_paths(const Settings& settings, const ParseContext& context);

// Sets one launch of one warm-up and two measured steps, overriding the file.
void apply_smoke(Settings& settings);
// Sets two launches of short windows.
void apply_quick(Settings& settings);

// Reads the value of option `name` at `node`; if invalid, adds an error and returns nullopt.
[[nodiscard]] std::optional<Value> read_option_value(const std::string& name,
                                                     std::span<const Option* const> declarations,
                                                     const ConfigNode& node,
                                                     const ParseContext& context);

}  // namespace stepbench::plan
