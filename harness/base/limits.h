// SPDX-License-Identifier: Apache-2.0
// Limits on which rooms that do not know each other agree.
#pragma once

#include <cstddef>

namespace stepbench {

// Phases that a workload declares beside the built-in ones: the recorder has places for so many,
// and a catalogue with more is refused.
inline constexpr std::size_t kMaxDeclaredPhases = 16;

}  // namespace stepbench
