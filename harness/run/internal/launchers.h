// SPDX-License-Identifier: Apache-2.0
// The launchers that start the ranks of a group, in one table: the command line of each, and the
// variables from which a process reads its rank and world size. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/environment.h"

namespace stepbench::run {

enum class Launcher : std::uint8_t {
  kLocal,     // processes of this program on this machine
  kTorchrun,  // on this machine
  kSrun,      // in the allocation of Slurm
  kMpirun,    // Open MPI, MPICH
};

// One set of variables, valid only if all are set. An empty name: the launcher has no such
// variable.
struct PlaceVariables {
  std::string_view rank;
  std::string_view world;
  std::string_view local_rank;
  std::string_view local_world;
};

struct LauncherRow {
  Launcher launcher;
  std::string_view name;
  std::vector<PlaceVariables> places;  // the first set with any variable set is used
  // The variable that lists the variables to export to ranks; empty: it exports all. Not used
  // beside the option that names one, since mpirun takes either.
  std::string_view forwarding_variable = {};
  std::string_view forwarding_option = {};
  bool other_machines = false;  // ranks may run on other machines
  bool sets_address = false;    // sets MASTER_ADDR and MASTER_PORT
};

[[nodiscard]] const std::vector<LauncherRow>& launchers();
[[nodiscard]] const LauncherRow& row_of(Launcher launcher);
// Throws ConfigError naming all launchers if `name` is unknown.
[[nodiscard]] const LauncherRow& launcher_named(std::string_view name);

// Set in the environment of the launcher only; removed before anything of the user starts.
inline constexpr std::string_view kControllersVariable =
    "STEPBENCH_GROUP";  // "10.0.0.1,10.1.0.1:4711"
inline constexpr std::string_view kTokenVariable = "STEPBENCH_TOKEN";

// The hidden command of `stepbench` that a launcher starts on each rank.
inline constexpr std::string_view kRankCommand = "__rank";

// Command line that starts `ranks` processes `program __rank LAUNCHER`. `more`: extra launcher
// options from the user. `interpreter`: the Python that provides torchrun.
[[nodiscard]] std::vector<std::string> launch_words(Launcher launcher, int ranks,
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

}  // namespace stepbench::run
