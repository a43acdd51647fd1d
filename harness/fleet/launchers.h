// SPDX-License-Identifier: Apache-2.0
// The launchers that start the ranks of a group: their command lines, and the variables from which
// a rank reads its place. One table; pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::fleet {

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
  // The variable that lists the variables to export to ranks; empty: it exports all.
  std::string_view forwarding_variable = {};
  bool other_machines = false;  // ranks may run on other machines
  bool sets_address = false;    // sets MASTER_ADDR and MASTER_PORT
};

[[nodiscard]] const std::vector<LauncherRow>& launchers();
[[nodiscard]] const LauncherRow& row_of(Launcher launcher);
// Throws ConfigError naming all launchers if `name` is unknown.
[[nodiscard]] const LauncherRow& launcher_named(std::string_view name);

// The hidden command of `stepbench` that a launcher starts on each rank.
inline constexpr std::string_view kRankCommand = "__rank";

// Command line that starts `ranks` processes `program __rank LAUNCHER`. `more`: extra launcher
// options from the user. `interpreter`: the Python that provides torchrun.
[[nodiscard]] std::vector<std::string> launch_words(Launcher launcher, int ranks,
                                                    const std::vector<std::string>& more,
                                                    const std::string& program,
                                                    const std::string& interpreter);

}  // namespace stepbench::fleet
