// SPDX-License-Identifier: Apache-2.0
// Files in the Go benchmark format, with the output of benchstat.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace stepbench::testing_stats {

// Folder of the published series, if they are on this machine.
[[nodiscard]] std::filesystem::path public_series();

// "name unit" -> values.
using GoResults = std::map<std::string, std::vector<double>>;

// `note`: only the part after this note in the file.
[[nodiscard]] GoResults read_go(const std::filesystem::path& path, const std::string& note = "");

}  // namespace stepbench::testing_stats
