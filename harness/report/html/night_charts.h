// SPDX-License-Identifier: Apache-2.0
// The charts of a night's verdict, from what night_json.h writes: the alerts, how far each series
// lies from its usual, and what changed in the environment. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "harness/document/document.h"

namespace stepbench::report {

// `night`: an object of schema stepbench.night 1.x. Throws LineError for anything else, and for one
// that holds an error in place of a night. nullopt where no series has a change.
[[nodiscard]] std::optional<document::Chapter> night_section(std::string_view night);

}  // namespace stepbench::report
