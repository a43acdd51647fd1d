// SPDX-License-Identifier: Apache-2.0
// Result of a group launch. Plain data.
#pragma once

#include <vector>

#include "harness/run/launch.h"

namespace stepbench::run {

struct GroupResult {
  // One result per rank if all were measured; else a single one for the group.
  std::vector<LaunchResult> ranks;
  [[nodiscard]] bool interrupted() const { return ranks.front().interrupted; }
};

}  // namespace stepbench::run
