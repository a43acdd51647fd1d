// SPDX-License-Identifier: Apache-2.0
#include "harness/fleet/launchers.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/text/words.h"

namespace stepbench::fleet {

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
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(),
               {program, std::string(kRankCommand), std::string(row_of(launcher).name)});
  return words;
}

}  // namespace stepbench::fleet
