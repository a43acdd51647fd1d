// SPDX-License-Identifier: Apache-2.0
// A process's rank and world size, from its launcher's variables. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "harness/fleet/launchers.h"
#include "harness/machine/devices.h"

namespace stepbench::fleet {

struct RankPlace {
  int rank = 0;
  int world = 1;
  int local_rank = 0;  // among the ranks of its machine
  int local_world = 1;
};

// An empty value counts as unset. Throws ConfigError for a variable that is missing, not a number
// or inconsistent with the others, such as a stale RANK of a shell.
[[nodiscard]] RankPlace rank_place(Launcher launcher, const machine::Variables& variables);

// Evidence from variables that a launcher started this process as one of several.
struct OneOfSeveral {
  std::string variables;      // "RANK=5 and WORLD_SIZE=8"
  std::int64_t world = 1;     // 2 or more
  bool may_be_stale = false;  // variables that people also set in a shell and forget
};
[[nodiscard]] std::optional<OneOfSeveral> one_of_several(const machine::Variables& variables);

// Tasks on the machine with this number in SLURM_STEP_TASKS_PER_NODE: "2(x3),1" is 2, 2, 2 and 1; 0
// if unknown.
[[nodiscard]] int tasks_of_node(std::string_view tasks_per_node, int node);

}  // namespace stepbench::fleet
