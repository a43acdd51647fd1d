// SPDX-License-Identifier: Apache-2.0
// Suggestions for a path that does not exist. Reads folders; any thread.
#pragma once

#include <filesystem>
#include <string>

namespace stepbench::os {

// Returns " (did you mean 'configs/quickstart.yaml'?)" with the most similar name in the same
// folder, or in a `configs` folder next to it. Empty if none is similar.
[[nodiscard]] std::string similar_file_hint(const std::filesystem::path& path);

}  // namespace stepbench::os
