// SPDX-License-Identifier: Apache-2.0
// Reports series that are new tonight with the most similar known one, which may be the same series
// under another name. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/track/history.h"

namespace stepbench::track {

// `tonight`: ids of tonight's runs.
[[nodiscard]] std::vector<std::string> new_series_notes(const History& history,
                                                        std::span<const std::string> tonight);

}  // namespace stepbench::track
