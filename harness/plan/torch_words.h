// SPDX-License-Identifier: Apache-2.0
// What a file or an argument says in torch's names, said in ours (harness/catalogue/torch_names.h).
// Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/plan/settings.h"

namespace stepbench::plan {

// The file: sections, the top level and `sweep`. Notes errors: a value that torch has and we do
// not, and two names of one thing.
void say_in_our_words(ConfigNode& root, const ParseContext& context);

// One key with its values, as `matrix` has it: the keys that it stands for, in full. nullopt: it is
// none of torch's.
[[nodiscard]] std::optional<std::vector<ConfigEntry>> axis_in_our_words(
    const ConfigEntry& entry, const ParseContext& context);

// Whether its values differ.
[[nodiscard]] bool varies(const ConfigEntry& axis);

// Of NAME=VALUE those to options of ours. `before`: what the file said; "not fused" takes back no
// more than "fused".
[[nodiscard]] std::vector<std::string> set_in_our_words(std::span<const std::string> set,
                                                        const Settings& before,
                                                        const ParseContext& context);

}  // namespace stepbench::plan
