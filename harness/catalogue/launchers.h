// SPDX-License-Identifier: Apache-2.0
// The launchers that start the ranks of a group, in one table: what the option
// distributed.launcher says of each, its command line, and the variables from which a process reads
// its rank and world size. Immutable; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stepbench::catalogue {

// One set of variables. Those of rank, world and local_rank must exist and be set; where another
// name is empty, the launcher has no such variable.
struct PlaceVariables {
  std::string_view rank;
  std::string_view world;
  std::string_view local_rank;
  std::string_view local_world = {};
  // Instead of local_world: the tasks of each machine, "2(x3),1", and the number of this machine.
  std::string_view tasks_per_node = {};
  std::string_view node = {};
  // Also set in each rank, where the others may be left over in a shell; empty: they never are.
  std::string_view proof = {};
};

struct Launcher {
  std::string_view name;
  std::string_view doc;
  std::vector<std::string_view> also_called = {};
  // Its command line before the user's options, with kPython for the interpreter and kRanks for
  // their number; empty: stepbench itself starts the ranks.
  std::vector<std::string_view> words = {};
  std::vector<PlaceVariables> places;  // the first set with any variable set is used
  // The variable that lists the variables to export to ranks; empty: it exports all. Not used
  // beside the option that names one, since mpirun takes either.
  std::string_view forwarding_variable = {};
  std::string_view forwarding_option = {};
  bool other_machines = false;  // ranks may run on other machines
  bool sets_address = false;    // sets MASTER_ADDR and MASTER_PORT

  static constexpr std::string_view kPython = "{python}";
  static constexpr std::string_view kRanks = "{ranks}";
};

[[nodiscard]] const std::vector<Launcher>& launchers();
[[nodiscard]] std::vector<std::string> launcher_names();
// Throws ConfigError naming all launchers if `name` is unknown.
[[nodiscard]] const Launcher& launcher_named(std::string_view name);

}  // namespace stepbench::catalogue
