// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/stats/go_benchmarks.h"

#include <fstream>
#include <sstream>

namespace stepbench::testing_stats {

std::filesystem::path public_series() {
  return std::filesystem::path(STEPBENCH_SOURCE_DIR) / ".." / "shared" / "data" / "series";
}

GoResults read_go(const std::filesystem::path& path, const std::string& note) {
  GoResults results;
  std::ifstream file(path);
  std::string line;
  bool wanted = note.empty();
  while (std::getline(file, line)) {
    if (line.starts_with("note:") && !note.empty()) wanted = line == "note: " + note;
    if (!line.starts_with("Benchmark") || !wanted) continue;
    std::istringstream words(line);
    std::string name;
    std::string unit;
    double value = 0;
    words >> name >> value;
    while (words >> value >> unit) results[name.substr(9) + " " + unit].push_back(value);
  }
  return results;
}

}  // namespace stepbench::testing_stats
