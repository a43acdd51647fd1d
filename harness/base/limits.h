// SPDX-License-Identifier: Apache-2.0
// Limits shared by rooms that do not include each other.
#pragma once

#include <cstddef>

namespace stepbench {

// Maximum number of phases that a workload declares in addition to the built-in ones. The recorder
// reserves this many slots; catalogues with more are rejected.
inline constexpr std::size_t kMaxDeclaredPhases = 16;

}  // namespace stepbench
