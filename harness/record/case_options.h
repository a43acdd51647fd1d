// SPDX-License-Identifier: Apache-2.0
// The options of cases, from the results of their run. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "harness/base/option_values.h"

namespace stepbench::record {

// Reads one launch of each case in a run's folder, by case id; skips samples. Empty if the folder
// has no readable results: callers have their own error to report.
[[nodiscard]] std::map<std::string, OptionValues, std::less<>> options_of_cases(
    const std::filesystem::path& run);

}  // namespace stepbench::record
