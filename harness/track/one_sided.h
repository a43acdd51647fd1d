// SPDX-License-Identifier: Apache-2.0
// Programs get slower and faster. When all that is found for weeks points one way, the tool or the
// machine is the more likely cause. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>

#include "harness/track/alert.h"

namespace stepbench::track {

inline constexpr std::size_t kOneSidedFindings = 30;

// A sentence, if the newest kOneSidedFindings alerts that a measurement reproduced all went the
// same way; else empty.
[[nodiscard]] std::string one_sided_warning(const AlertLog& alerts);

}  // namespace stepbench::track
