// SPDX-License-Identifier: Apache-2.0
#include "harness/record/rows.h"

#include <algorithm>
#include <string_view>

namespace stepbench::record {
namespace {

constexpr std::string_view kQuickFlag = "--quick";

// Arguments after `--` belong to a script.
auto quick_flag_in(const std::vector<std::string>& argv) {
  const auto own_end = std::ranges::find(argv, "--");
  const auto found = std::find(argv.begin(), own_end, kQuickFlag);
  return found == own_end ? argv.end() : found;
}

}  // namespace

bool is_first_look(const RunRow& run) {
  return run.smoke && quick_flag_in(run.argv) != run.argv.end();
}

std::vector<std::string> command_of_measurement(const RunRow& run) {
  std::vector<std::string> argv = run.argv;
  if (const auto flag = quick_flag_in(argv); flag != argv.end()) argv.erase(flag);
  return argv;
}

}  // namespace stepbench::record
