// SPDX-License-Identifier: Apache-2.0
// The hidden command `__rank LAUNCHER [RANKS]`, which a launcher starts on each rank of a group.
#pragma once

#include "tools/stepbench/command.h"

namespace stepbench::cli {

// The exit status. Throws Error where this process was not started by `stepbench run --ranks`.
[[nodiscard]] int be_rank(const Environment& environment);

}  // namespace stepbench::cli
