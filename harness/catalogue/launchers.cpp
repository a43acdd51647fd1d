// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/launchers.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/text/words.h"

namespace stepbench::catalogue {

const std::vector<Launcher>& launchers() {
  constexpr PlaceVariables kTorch = {.rank = "RANK",
                                     .world = "WORLD_SIZE",
                                     .local_rank = "LOCAL_RANK",
                                     .local_world = "LOCAL_WORLD_SIZE",
                                     .proof = "TORCHELASTIC_RUN_ID"};
  static const std::vector<Launcher> rows = {
      {.name = "local", .doc = "stepbench, on this machine", .places = {kTorch}},
      {.name = "torchrun",
       .doc = "that of the interpreter, on this machine",
       .words = {Launcher::kPython, "-m", "torch.distributed.run", "--standalone",
                 "--nproc-per-node", Launcher::kRanks, "--no-python"},
       .places = {kTorch},
       .sets_address = true},
      {.name = "srun",
       .doc = "in the allocation that stepbench runs in",
       .also_called = {"slurm"},
       // Without --overlap it waits for ever for the batch step's own CPUs.
       .words = {"srun", "-n", Launcher::kRanks, "--overlap", "--export=ALL",
                 "--kill-on-bad-exit=1"},
       .places = {{.rank = "SLURM_PROCID",
                   .world = "SLURM_STEP_NUM_TASKS",
                   .local_rank = "SLURM_LOCALID",
                   .tasks_per_node = "SLURM_STEP_TASKS_PER_NODE",
                   .node = "SLURM_NODEID"}},
       .other_machines = true},
      {.name = "mpirun",
       .doc = "that of PATH",
       .also_called = {"mpi", "mpiexec"},
       .words = {"mpirun", "-n", Launcher::kRanks},
       .places = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK",
                   "OMPI_COMM_WORLD_LOCAL_SIZE"},
                  {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"}},
       .forwarding_variable = "OMPI_MCA_mca_base_env_list",  // Open MPI; others export all
       .forwarding_option = "-x",
       .other_machines = true},
  };
  return rows;
}

std::vector<std::string> launcher_names() {
  std::vector<std::string> names;
  for (const Launcher& row : launchers()) names.emplace_back(row.name);
  return names;
}

const Launcher& launcher_named(std::string_view name) {
  const auto found = std::ranges::find(launchers(), name, &Launcher::name);
  if (found != launchers().end()) return *found;
  throw ConfigError("distributed.launcher",
                    formatted("must be one of {}, is '{}'", text::join(launcher_names()), name));
}

}  // namespace stepbench::catalogue
