// SPDX-License-Identifier: Apache-2.0
// The launchers that start the ranks of a group: the command line of each, and the variables by
// which a rank knows its place. One table; pure; any thread.
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

// One set of variables; all of them must be set for it to tell. Empty: it has none of this kind.
struct PlaceVariables {
  std::string_view rank;
  std::string_view world;
  std::string_view local_rank;
  std::string_view local_world;
};

struct LauncherRow {
  Launcher launcher;
  std::string_view name;
  std::vector<PlaceVariables> places;  // the first set of which any is set counts
  // Into which variable go the names of those that it hands to its ranks; empty: it hands all.
  std::string_view hands_on = {};
  bool other_machines = false;  // its ranks may run there
  bool sets_address = false;    // MASTER_ADDR and MASTER_PORT
};

[[nodiscard]] const std::vector<LauncherRow>& launchers();
[[nodiscard]] const LauncherRow& row_of(Launcher launcher);
// Throws ConfigError that names them all.
[[nodiscard]] const LauncherRow& launcher_named(std::string_view name);

// The hidden command of `stepbench` that a launcher starts on each rank.
inline constexpr std::string_view kRankCommand = "__rank";

// What starts `ranks` processes `program __rank LAUNCHER`. `more`: the user's own options of the
// launcher. `interpreter`: the Python whose torchrun it is.
[[nodiscard]] std::vector<std::string> launch_words(Launcher launcher, int ranks,
                                                    const std::vector<std::string>& more,
                                                    const std::string& program,
                                                    const std::string& interpreter);

}  // namespace stepbench::fleet
