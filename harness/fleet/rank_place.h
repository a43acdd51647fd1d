// SPDX-License-Identifier: Apache-2.0
// Which rank of how many a process is, by the variables of its launcher. Pure; any thread.
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

// An empty value counts as unset. Throws ConfigError for a variable that is missing, is no number
// or does not fit the others: a stale RANK of a shell is no place.
[[nodiscard]] RankPlace rank_place(Launcher launcher, const machine::Variables& variables);

// That a launcher started this process and others like it, as far as its variables say.
struct OneOfSeveral {
  std::string variables;      // "RANK=5 and WORLD_SIZE=8"
  std::int64_t world = 1;     // 2 or more
  bool may_be_stale = false;  // variables that people set in a shell, and forget
};
[[nodiscard]] std::optional<OneOfSeveral> one_of_several(const machine::Variables& variables);

// Of the machine with this number in SLURM_STEP_TASKS_PER_NODE: "2(x3),1" is 2, 2, 2 and 1; 0 where
// it does not say.
[[nodiscard]] int tasks_of_node(std::string_view tasks_per_node, int node);

}  // namespace stepbench::fleet
