// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/shell/program.h"

namespace stepbench::testing {

using namespace std::chrono_literals;

std::string stepbench_program() { return STEPBENCH_BINARY_DIR "/tools/stepbench/stepbench"; }

std::string stub_worker() { return STEPBENCH_BINARY_DIR "/tests/stub_worker/stub-worker"; }

os::CommandResult stepbench(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {stepbench_program()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return os::run_command(words, "", 10min);
}

std::vector<std::string> lines_of_text(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace stepbench::testing
