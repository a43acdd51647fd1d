// SPDX-License-Identifier: Apache-2.0
// A point in time as text, the way it stands in result files. Pure; any thread.
#pragma once

#include <chrono>
#include <string>

namespace stepbench {

// 2026-01-31T12:00:00Z
[[nodiscard]] std::string utc_text(std::chrono::system_clock::time_point time);

}  // namespace stepbench
