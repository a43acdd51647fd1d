// SPDX-License-Identifier: Apache-2.0
// Finds the files that a script needs, as far as its text shows. Any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace stepbench::campaign {

struct ScriptFiles {
  std::vector<std::filesystem::path> local_files = {};  // relative to the script's folder, sorted
  std::vector<std::filesystem::path> elsewhere = {};    // absolute: programs and data
};

// Returns files of the script's folder that it names or, in Python, imports, transitively. Empty
// unless the program is text that begins with "#!".
[[nodiscard]] ScriptFiles files_of_script(const std::filesystem::path& script);

// Returns a module imported by a Python script or a file next to it that exists only elsewhere in
// its repository: a copy of the folder would import tonight's version of it. Empty: none.
// `tracked`: all files of the repository; `folder`: the script's, relative to it.
[[nodiscard]] std::string module_elsewhere(const std::filesystem::path& script,
                                           std::span<const std::filesystem::path> local_files,
                                           std::span<const std::string> tracked,
                                           const std::filesystem::path& folder);

}  // namespace stepbench::campaign
