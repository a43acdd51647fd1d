// SPDX-License-Identifier: Apache-2.0
// `--python SCRIPT`: the experiment with one case that runs a script unchanged. Reads the script;
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stepbench::campaign {

// Returns its text in YAML. Sweeps the loops that the script's calls of measure(loader,
// name="train") name, if there are several.
[[nodiscard]] std::string script_experiment(const std::string& path,
                                            const std::vector<std::string>& arguments);

// Line of the first call of measure() whose name is no literal; 0: none.
[[nodiscard]] std::int64_t line_of_unknown_loop(const std::string& path);

}  // namespace stepbench::campaign
