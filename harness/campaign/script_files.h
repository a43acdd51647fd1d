// SPDX-License-Identifier: Apache-2.0
// Which files a script needs beside itself, as far as its text tells. Any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace stepbench::campaign {

struct ScriptFiles {
  std::vector<std::filesystem::path> beside = {};     // relative to the script's folder, sorted
  std::vector<std::filesystem::path> elsewhere = {};  // absolute: programs and data outside of it
};

// Files of its folder that it names or, in Python, imports, and what those import in turn. Nothing
// for a program that is no text beginning with "#!".
[[nodiscard]] ScriptFiles files_of_script(const std::filesystem::path& script);

// A module that a Python script, or one of the files beside it, imports, and that only the rest of
// its repository has: a copy of its folder would import it as it is tonight. Empty: there is none.
// `tracked`: all files of the repository; `folder`: the script's, relative to it.
[[nodiscard]] std::string module_elsewhere(const std::filesystem::path& script,
                                           std::span<const std::filesystem::path> beside,
                                           std::span<const std::string> tracked,
                                           const std::filesystem::path& folder);

}  // namespace stepbench::campaign
