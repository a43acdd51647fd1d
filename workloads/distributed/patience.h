// SPDX-License-Identifier: Apache-2.0
// How long a rank waits for the others to join, and in a collective.
#pragma once

#include <chrono>

namespace stepbench::distributed {

inline constexpr std::chrono::milliseconds kPatience = std::chrono::seconds(60);

}  // namespace stepbench::distributed
