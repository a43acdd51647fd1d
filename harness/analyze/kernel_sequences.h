// SPDX-License-Identifier: Apache-2.0
// Kernels that follow each other again and again; see kernel_tree.h. Pure; any thread.
#pragma once

#include <vector>

#include "harness/analyze/kernel_tree.h"

namespace stepbench::analyze {

// Of two, four or eight kernels, which come at least twice and as often as there are steps. A pair
// of neighbours counts in the longest sequence that it is part of.
[[nodiscard]] std::vector<KernelSequence> repeated_sequences(const Timeline& timeline,
                                                             const Steps& steps);

}  // namespace stepbench::analyze
