// SPDX-License-Identifier: Apache-2.0
// Translates torch's names in a file or an argument to ours (harness/catalogue/torch_names.h).
// Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/internal/settings.h"

namespace stepbench::plan {

// Translates the file: sections, the top level and `sweep`. Adds errors for values that only torch
// has, and for two names of one option.
void translate_torch_options(ConfigNode& root, const ParseContext& context);

// The place that names a section of torch's, "autocast", in the file or by `set`; empty: none. Call
// before translating.
[[nodiscard]] std::string place_of_section(std::string_view section, const ConfigNode& root,
                                           std::span<const std::string> set,
                                           const ParseContext& context);

// Translates one key with its values, in the form of `matrix`, to full names of options. nullopt:
// not a name of torch.
[[nodiscard]] std::optional<std::vector<ConfigEntry>> translate_torch_axis(
    const ConfigEntry& entry, const ParseContext& context);

[[nodiscard]] bool varies(const ConfigEntry& axis);

// Translates NAME=VALUE settings. `before`: the file's settings, so that "not fused" only undoes
// "fused".
[[nodiscard]] std::vector<std::string> translate_torch_settings(std::span<const std::string> set,
                                                                const Settings& before,
                                                                const ParseContext& context);

}  // namespace stepbench::plan
