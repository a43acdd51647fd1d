// SPDX-License-Identifier: Apache-2.0
// The options of cases, as the results of their run hold them. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "harness/base/option_values.h"

namespace stepbench::record {

// Of a launch of each case in the folder of a run, by case id; samples are not read. Empty where
// the folder holds no results that can be read: whoever asks has something else to say, too.
[[nodiscard]] std::map<std::string, OptionValues, std::less<>> options_of_cases(
    const std::filesystem::path& run);

}  // namespace stepbench::record
