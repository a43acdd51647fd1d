// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/launchers.h"

#include <algorithm>
#include <optional>
#include <string>

#include "harness/base/error.h"
#include "harness/os/text_file.h"
#include "harness/text/words.h"

namespace stepbench::run {

const std::vector<LauncherRow>& launchers() {
  constexpr PlaceVariables kTorch = {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
  static const std::vector<LauncherRow> rows = {
      {.launcher = Launcher::kLocal, .name = "local", .places = {kTorch}},
      {.launcher = Launcher::kTorchrun,
       .name = "torchrun",
       .places = {kTorch},
       .sets_address = true},
      {.launcher = Launcher::kSrun,
       .name = "srun",
       .places = {{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", ""}},
       .other_machines = true},
      {.launcher = Launcher::kMpirun,
       .name = "mpirun",
       .places = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                   "OMPI_COMM_WORLD_LOCAL_SIZE"},
                  {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}},
       .forwarding_variable = "OMPI_MCA_mca_base_env_list",  // Open MPI; others export all
       .forwarding_option = "-x",
       .other_machines = true},
  };
  return rows;
}

const LauncherRow& row_of(Launcher launcher) {
  return *std::ranges::find(launchers(), launcher, &LauncherRow::launcher);
}

const LauncherRow& launcher_named(std::string_view name) {
  const auto found = std::ranges::find(launchers(), name, &LauncherRow::name);
  if (found != launchers().end()) return *found;
  throw ConfigError("distributed.launcher",
                    "must be one of " +
                        text::join(launchers(), ", ",
                                   [](const LauncherRow& row) { return std::string(row.name); }) +
                        ", is '" + std::string(name) + "'");
}

std::vector<std::string> launch_words(Launcher launcher, int ranks,
                                      const std::vector<std::string>& more,
                                      const std::string& program, const std::string& interpreter) {
  const std::string count = std::to_string(ranks);
  std::vector<std::string> words;
  switch (launcher) {
    case Launcher::kLocal:
      return {program, std::string(kRankCommand), "local", count};
    case Launcher::kTorchrun:
      words = {
          interpreter, "-m",         "torch.distributed.run", "--standalone", "--nproc-per-node",
          count,       "--no-python"};
      break;
    case Launcher::kSrun:  // without --overlap it waits for ever for the batch step's own CPUs
      words = {"srun", "-n", count, "--overlap", "--export=ALL", "--kill-on-bad-exit=1"};
      break;
    case Launcher::kMpirun:
      words = {"mpirun", "-n", count};
      break;
  }
  const std::string_view option = row_of(launcher).forwarding_option;
  if (!option.empty() && std::ranges::count(more, option) > 0) {
    for (const std::string_view name : {kControllersVariable, kTokenVariable}) {
      words.insert(words.end(), {std::string(option), std::string(name)});
    }
  }
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(),
               {program, std::string(kRankCommand), std::string(row_of(launcher).name)});
  return words;
}

namespace {

std::optional<std::string_view> value_of(const machine::Variables& variables,
                                         std::string_view name) {
  const auto found = name.empty() ? std::nullopt : machine::find_variable(variables, name);
  return found && !found->empty() ? found : std::nullopt;
}

int number_in(const machine::Variables& variables, std::string_view name,
              std::string_view defined_variable) {
  const auto text = value_of(variables, name);
  if (!text) {
    throw ConfigError(std::string(name), "is not set, and " + std::string(defined_variable) +
                                             " is: the ranks do not know their places");
  }
  constexpr std::int64_t kMax = 1'000'000;
  const auto number = os::parse_integer(*text);
  if (!number || *number < 0 || *number > kMax) {
    throw ConfigError(std::string(name), "invalid rank number: '" + std::string(*text) + "'");
  }
  return static_cast<int>(*number);
}

}  // namespace

int tasks_of_node(std::string_view tasks_per_node, int node) {
  while (!tasks_per_node.empty()) {
    std::string_view part = tasks_per_node.substr(0, tasks_per_node.find(','));
    tasks_per_node.remove_prefix(std::min(part.size() + 1, tasks_per_node.size()));
    const std::size_t times = part.find("(x");
    const auto tasks = os::parse_integer(part.substr(0, times));
    if (!tasks) return 0;
    std::int64_t nodes = 1;
    if (times != std::string_view::npos) {
      part = part.substr(times + 2);
      nodes = os::parse_integer(part.substr(0, part.find(')'))).value_or(1);
    }
    if (node < nodes) return static_cast<int>(*tasks);
    node -= static_cast<int>(nodes);
  }
  return 0;
}

RankPlace rank_place(Launcher launcher, const machine::Variables& variables) {
  const LauncherRow& row = row_of(launcher);
  const auto names_something = [&](const PlaceVariables& names) {
    return value_of(variables, names.rank) || value_of(variables, names.world);
  };
  const auto found = std::ranges::find_if(row.places, names_something);
  if (found == row.places.end()) {
    throw ConfigError(std::string(row.places.front().rank),
                      "is not set: " + std::string(row.name) + " did not start this process");
  }
  const std::string_view defined_variable =
      value_of(variables, found->rank) ? found->rank : found->world;
  RankPlace place;
  place.rank = number_in(variables, found->rank, defined_variable);
  place.world = number_in(variables, found->world, defined_variable);
  place.local_rank = number_in(variables, found->local_rank, defined_variable);
  if (place.world < 1 || place.rank >= place.world) {
    throw ConfigError(std::string(found->rank), "is " + std::to_string(place.rank) + " where " +
                                                    std::string(found->world) + " is " +
                                                    std::to_string(place.world));
  }
  if (launcher == Launcher::kSrun) {
    const auto tasks = value_of(variables, "SLURM_STEP_TASKS_PER_NODE");
    const auto node = value_of(variables, "SLURM_NODEID");
    place.local_world = tasks_of_node(
        tasks.value_or(""), static_cast<int>(os::parse_integer(node.value_or("0")).value_or(0)));
  } else if (value_of(variables, found->local_world)) {
    place.local_world = number_in(variables, found->local_world, defined_variable);
  }
  place.local_world = std::max(place.local_world, place.local_rank + 1);
  return place;
}

std::optional<OneOfSeveral> one_of_several(const machine::Variables& variables) {
  for (const LauncherRow& row : launchers()) {
    for (const PlaceVariables& names : row.places) {
      const auto rank = value_of(variables, names.rank);
      const auto world = value_of(variables, names.world);
      if (!rank || !world) continue;
      const auto count = os::parse_integer(*world);
      if (!os::parse_integer(*rank) || !count || *count < 2) continue;
      return OneOfSeveral{.variables = std::string(names.rank) + "=" + std::string(*rank) +
                                       " and " + std::string(names.world) + "=" +
                                       std::string(*world),
                          .world = *count,
                          .may_be_stale = names.rank == "RANK" &&
                                          !value_of(variables, "TORCHELASTIC_RUN_ID").has_value()};
    }
  }
  return std::nullopt;
}

}  // namespace stepbench::run
