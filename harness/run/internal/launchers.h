// SPDX-License-Identifier: Apache-2.0
// The command line of a launcher that starts the ranks of a group, and the place of a rank by the
// launcher's variables. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/launchers.h"
#include "harness/machine/environment.h"

namespace stepbench::run {

// Set in the environment of the launcher only; removed before anything of the user starts.
inline constexpr std::string_view kControllersVariable =
    "STEPBENCH_GROUP";  // "10.0.0.1,10.1.0.1:4711"
inline constexpr std::string_view kTokenVariable = "STEPBENCH_TOKEN";

// The hidden command of `stepbench` that a launcher starts on each rank.
inline constexpr std::string_view kRankCommand = "__rank";

// Command line that starts `ranks` processes `program __rank LAUNCHER`. `more`: extra launcher
// options from the user. `interpreter`: the Python that a launcher's command line may name.
[[nodiscard]] std::vector<std::string> launch_words(const catalogue::Launcher& launcher, int ranks,
                                                    const std::vector<std::string>& more,
                                                    const std::string& program,
                                                    const std::string& interpreter);

struct RankPlace {
  int rank = 0;
  int world = 1;
  int local_rank = 0;  // among the ranks of its machine
  int local_world = 1;
};

// An empty value counts as unset. Throws ConfigError for a variable that is missing, not a number
// or inconsistent with the others, such as a stale RANK of a shell.
[[nodiscard]] RankPlace rank_place(const catalogue::Launcher& launcher,
                                   const machine::Variables& variables);

// Evidence from variables that a launcher started this process as one of several.
struct OneOfSeveral {
  std::string variables;      // "RANK=5 and WORLD_SIZE=8"
  std::int64_t world = 1;     // 2 or more
  bool may_be_stale = false;  // variables that people also set in a shell and forget
};
[[nodiscard]] std::optional<OneOfSeveral> one_of_several(const machine::Variables& variables);

// Tasks on the machine with this number: "2(x3),1" is 2, 2, 2 and 1; 0 if unknown.
[[nodiscard]] int tasks_of_node(std::string_view tasks_per_node, int node);

}  // namespace stepbench::run
