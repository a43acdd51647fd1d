// SPDX-License-Identifier: Apache-2.0
// What the file and --set say outside `sweep`, checked against the catalogue one by one.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "harness/plan/config_node.h"
#include "harness/plan/interpolate.h"
#include "harness/plan/mistakes.h"
#include "harness/plan/option_index.h"

namespace stepbench {

struct Setting {
  Value value;
  std::string where;
};

struct Settings {
  std::map<std::string, Setting, std::less<>> options;       // by full name
  std::map<std::string, std::string, std::less<>> sections;  // place of each section's key
};

// What the parts of the planner share while they read one file.
struct Reading {
  const std::string& source;
  const OptionIndex& index;
  Variables variables;
  Mistakes& mistakes;
};

// `root` is the whole file; its key `sweep` is left to read_sweep().
[[nodiscard]] Settings read_settings(const ConfigNode& root, const Reading& reading);

// `--set loader.num_workers=4`, in order. Short names are accepted when one option has them.
void apply_set(std::span<const std::string> assignments, const Reading& reading,
               Settings& settings);

// Notes a mistake for a file or folder that must exist and does not. After apply_set(): what --set
// replaces is not looked for.
void check_path(const std::string& name, const Value& value, const std::string& where,
                const Reading& reading);
void check_paths(const Settings& settings, const Reading& reading);

// One launch of one warm-up and two measured steps, whatever the file says.
void apply_smoke(Settings& settings);

// The value of option `name` written at `node`; nothing, and a mistake noted, when it is wrong.
[[nodiscard]] std::optional<Value> read_option_value(const std::string& name,
                                                     std::span<const Option* const> declarations,
                                                     const ConfigNode& node,
                                                     const Reading& reading);

}  // namespace stepbench
