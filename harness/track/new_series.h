// SPDX-License-Identifier: Apache-2.0
// Why a case of tonight has no history: in what it differs from the most similar one that has.
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/track/night_facts.h"

namespace stepbench::track {

// A sentence for each, the first three of them; none in the first night of a history.
[[nodiscard]] std::vector<std::string> new_series_notes(const NightFacts& facts);

}  // namespace stepbench::track
