// SPDX-License-Identifier: Apache-2.0
#include "harness/record/case_options.h"

#include <string_view>
#include <system_error>

#include "harness/base/error.h"
#include "harness/record/launch_rows.h"

namespace stepbench::record {

std::map<std::string, OptionValues, std::less<>> options_of_cases(
    const std::filesystem::path& run) {
  std::map<std::string, OptionValues, std::less<>> cases;
  const auto is_new = [&](std::string_view case_id) { return !cases.contains(case_id); };
  const auto take = [&](const LaunchRow& row) { cases.emplace(row.key.case_id, row.options); };
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(run, ignored)) {
    if (!is_result_file(entry.path())) continue;
    try {
      read_launch_rows(entry.path(), is_new, take);
    } catch (const Error&) {
      continue;
    }
  }
  return cases;
}

}  // namespace stepbench::record
