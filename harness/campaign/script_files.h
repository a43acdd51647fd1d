// SPDX-License-Identifier: Apache-2.0
// Which files a script needs beside itself, as far as its text tells. Any thread.
#pragma once

#include <filesystem>
#include <vector>

namespace stepbench::campaign {

struct ScriptFiles {
  std::vector<std::filesystem::path> beside = {};     // relative to the script's folder, sorted
  std::vector<std::filesystem::path> elsewhere = {};  // absolute: programs and data outside of it
};

// Files of its folder that it names or, in Python, imports, and what those import in turn. Nothing
// for a program that is no text beginning with "#!".
[[nodiscard]] ScriptFiles files_of_script(const std::filesystem::path& script);

}  // namespace stepbench::campaign
