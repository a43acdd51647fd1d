// SPDX-License-Identifier: Apache-2.0
// Opens the shared library of a model plug-in and makes its model.
#pragma once

#include "workloads/model/plugin.h"

namespace stepbench::model {

// The plug-in in a file, loaded for good and checked to be of this build. Throws ConfigError at
// model.path.
[[nodiscard]] const Plugin& load_plugin(const std::string& path);

// Texts under `plugin.` become values of the types that the plug-in declares, and missing ones its
// defaults. Throws ConfigError at the option.
void read_plugin_options(const Plugin& plugin, ResolvedCase& resolved);

[[nodiscard]] std::unique_ptr<Model> make_plugin(const ResolvedCase& resolved,
                                                 const DataShape& data);

}  // namespace stepbench::model
