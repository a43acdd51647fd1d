// SPDX-License-Identifier: Apache-2.0
// Text files of numbers, one per sample, as numpy.savetxt writes them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace stepbench::data {

struct NumberFile {
  std::string option;  // that names the file: "loader.weights"
  std::filesystem::path path;
  std::string expected;  // "`balanced` or a text file with a weight per sample"
};

// Reads numbers separated by blanks, commas or newlines. Throws ConfigError naming the option, file
// and line.
[[nodiscard]] std::vector<double> read_numbers(const NumberFile& file);

}  // namespace stepbench::data
