// SPDX-License-Identifier: Apache-2.0
// What the file and --set say outside `sweep`, checked against the catalogue one by one.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/plan/interpolate.h"
#include "harness/plan/option_index.h"
#include "harness/plan/yaml_document.h"

namespace stepbench::plan {

struct Setting {
  Value value;
  std::string where;
};

struct Settings {
  std::map<std::string, Setting, std::less<>> options;       // by full name
  std::map<std::string, std::string, std::less<>> sections;  // place of each section's key
};

// The errors in one file, gathered so that they can be mended in one go. Thrown as one
// ConfigError whose `where` is the first one's; each further one is a line of its own, "where:
// what".
class ConfigErrors {
 public:
  void add(std::string where, std::string what);
  [[nodiscard]] bool empty() const { return errors_.empty(); }
  void throw_if_any() const;

 private:
  std::vector<std::pair<std::string, std::string>> errors_;
};

// What the parts of the planner share while they read one file.
struct ParseContext {
  const std::string& source;
  const OptionIndex& index;
  InterpolationVariables variables;
  ConfigErrors& errors;
};

// `root` is the whole file; its key `sweep` is left to read_sweep().
[[nodiscard]] Settings read_settings(const ConfigNode& root, const ParseContext& context);

// `--set loader.num_workers=4`, in order. Short names are accepted when one option has them.
void apply_set(std::span<const std::string> assignments, const ParseContext& context,
               Settings& settings);

// Notes an error for a file or folder that must exist and does not. After apply_set(): what --set
// replaces is not looked for.
void check_path(const std::string& name, const Value& value, const std::string& where,
                const ParseContext& context);
void check_paths(const Settings& settings, const ParseContext& context);

// One launch of one warm-up and two measured steps, whatever the file says.
void apply_smoke(Settings& settings);
// Two launches of short windows.
void apply_quick(Settings& settings);

// The value of option `name` written at `node`; nullopt, and an error noted, if it is wrong.
[[nodiscard]] std::optional<Value> read_option_value(const std::string& name,
                                                     std::span<const Option* const> declarations,
                                                     const ConfigNode& node,
                                                     const ParseContext& context);

}  // namespace stepbench::plan
