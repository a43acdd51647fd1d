// SPDX-License-Identifier: Apache-2.0
#include "harness/record/case_options.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/record/reader.h"

namespace stepbench {

Fields options_of_case(const std::filesystem::path& run, std::string_view case_id) {
  if (case_id.empty()) return {};
  try {
    const Results results = read_results(run);
    const auto found =
        std::find_if(results.launches.begin(), results.launches.end(),
                     [&](const Launch& launch) { return launch.row.key.case_id == case_id; });
    return found == results.launches.end() ? Fields{} : found->row.options;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace stepbench
