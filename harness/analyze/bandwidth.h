// SPDX-License-Identifier: Apache-2.0
// Private to the holistic block: how fast memory moved. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/analyze/holistic.h"

namespace stepbench::analyze {

// `rows` as holistic_rows gives them.
[[nodiscard]] std::vector<HolisticBandwidth> memory_bandwidth(const Timeline& timeline,
                                                              const std::vector<std::size_t>& rows);

}  // namespace stepbench::analyze
