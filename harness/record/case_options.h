// SPDX-License-Identifier: Apache-2.0
// The options of a case, as the results of its run hold them. Any thread.
#pragma once

#include <filesystem>
#include <string_view>

#include "harness/base/value.h"

namespace stepbench {

// Of a launch of case `case_id` in the folder of a run, by full name. Empty where the folder holds
// no such launch, or no results that can be read: whoever asks has something else to say, too.
[[nodiscard]] Fields options_of_case(const std::filesystem::path& run, std::string_view case_id);

}  // namespace stepbench
