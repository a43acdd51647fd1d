// SPDX-License-Identifier: Apache-2.0
// What was read, as a history that no database holds. Pure; any thread.
#pragma once

#include "harness/track/history.h"
#include "harness/track/import.h"

namespace stepbench::foreign {

[[nodiscard]] track::History as_history(const track::Import& import);

}  // namespace stepbench::foreign
