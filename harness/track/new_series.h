// SPDX-License-Identifier: Apache-2.0
// What is new tonight, with the most similar series that is known: maybe it is the same one under
// another name. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/track/history.h"

namespace stepbench::track {

// `tonight`: ids of the night's runs.
[[nodiscard]] std::vector<std::string> new_series_notes(const History& history,
                                                        std::span<const std::string> tonight);

}  // namespace stepbench::track
