// SPDX-License-Identifier: Apache-2.0
// Opens a model plug-in's shared library and creates its model.
#pragma once

#include "workloads/model/plugin.h"

namespace stepbench::model {

// Loads the plug-in in a file permanently and checks that it matches this build. Throws ConfigError
// at model.path.
[[nodiscard]] const Plugin& load_plugin(const std::string& path);

// Converts texts under `plugin.` to the types that the plug-in declares, and sets missing ones to
// its defaults. Throws ConfigError at the option.
void read_plugin_options(const Plugin& plugin, ResolvedCase& resolved);

[[nodiscard]] std::unique_ptr<Model> make_plugin(const ResolvedCase& resolved,
                                                 const DataShape& data);

}  // namespace stepbench::model
