// SPDX-License-Identifier: Apache-2.0
#include "tests/workloads/python.h"

#include <cstdio>

namespace stepbench::test {

std::string run_python(const std::string& script, const std::vector<std::string>& arguments) {
  std::string command =
      std::string(STEPBENCH_PYTHON " '" STEPBENCH_SOURCE_DIR "/tests/workloads/") + script + "'";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  std::FILE* pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("cannot start " + command);
  std::string output;
  std::array<char, 4096> block{};
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), pipe))
    output.append(block.data(), n);
  if (::pclose(pipe) != 0) throw std::runtime_error(command + " failed:\n" + output);
  return output;
}

}  // namespace stepbench::test
