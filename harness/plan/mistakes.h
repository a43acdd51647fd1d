// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace stepbench {

// The mistakes of one file, gathered so that they can be mended in one go. Thrown as one
// ConfigError whose `where` is the first one's; each further one is a line of its own, "where:
// what".
class Mistakes {
 public:
  void add(std::string where, std::string what);
  [[nodiscard]] bool empty() const { return mistakes_.empty(); }
  void throw_if_any() const;

 private:
  std::vector<std::pair<std::string, std::string>> mistakes_;
};

}  // namespace stepbench
