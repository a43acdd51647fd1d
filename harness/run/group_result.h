// SPDX-License-Identifier: Apache-2.0
// What a launch of a group comes to. Plain data.
#pragma once

#include <vector>

#include "harness/run/launch.h"

namespace stepbench::run {

struct GroupResult {
  // By rank where all were measured; else one: of the group.
  std::vector<LaunchResult> ranks;
  [[nodiscard]] bool interrupted() const { return ranks.front().interrupted; }
};

}  // namespace stepbench::run
