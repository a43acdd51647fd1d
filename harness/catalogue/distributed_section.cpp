// SPDX-License-Identifier: Apache-2.0
#include "harness/catalogue/distributed_section.h"

#include <utility>

namespace stepbench::catalogue {
namespace {

using std::string_literals::operator""s;

constexpr std::int64_t kOne = 1;

std::vector<Option> gradient_options(const Requires& ranks) {
  return {
      {.name = "sync",
       .type = OptionType::kEnum,
       .doc =
           "Of train_step, which takes ddp where nothing is said. ddp: DistributedDataParallel's "
           "own Reducer, which exchanges buckets of gradients during the backward pass. flat: "
           "one all_reduce of all gradients behind it. none: nothing is exchanged, and ranks "
           "come apart; the floor of the others.",
       .choices = {"ddp", "flat", "none"},
       .identity_default = "ddp"s,
       .requires_ = ranks,
       .also_called = {"strategy", "gradient_sync", "data_parallel"},
       .values_called = {{"reducer", "ddp"},
                         {"DistributedDataParallel", "ddp"},
                         {"allreduce", "flat"},
                         {"all_reduce", "flat"},
                         {"no_sync", "none"},
                         {"off", "none"}}},
      {.name = "bucket_cap_mb",
       .type = OptionType::kNumber,
       .doc = "Size of a bucket of ddp. auto: 25, and 1 of the first one.",
       .unit = "MiB",
       .default_value = "auto"s,
       .min = 1e-3,
       .max = 1e6,
       .choices = {"auto"},
       .identity_default = "auto"s,
       .requires_ = ranks,
       .also_called = {"bucket_size", "bucket_size_mb"}},
      {.name = "gradient_as_bucket_view",
       .type = OptionType::kBool,
       .doc = "Of ddp: gradients are views of the buckets, which saves a copy and its memory.",
       .default_value = false,
       .identity_default = false,
       .requires_ = ranks},
      {.name = "find_unused_parameters",
       .type = OptionType::kBool,
       .doc = "Of ddp: looks in each step for parameters that the loss does not depend on.",
       .default_value = false,
       .identity_default = false,
       .requires_ = ranks},
      {.name = "static_graph",
       .type = OptionType::kBool,
       .doc = "Of ddp: the first step tells which parameters are used, and how often; no other "
              "step may differ.",
       .default_value = false,
       .identity_default = false,
       .requires_ = ranks},
      {.name = "comm_hook",
       .type = OptionType::kEnum,
       .doc =
           "Of ddp: the type in which gradients travel. none: their own. fp16 and bf16 halve the "
           "bytes, and round what is added.",
       .default_value = "none"s,
       .choices = {"none", "fp16", "bf16"},
       .identity_default = "none"s,
       .requires_ = ranks,
       .also_called = {"compression", "gradient_compression"},
       .values_called = {{"fp16_compress_hook", "fp16"},
                         {"float16", "fp16"},
                         {"bf16_compress_hook", "bf16"},
                         {"bfloat16", "bf16"}}},
  };
}

}  // namespace

Section distributed_section() {
  const Requires ranks{.option = "distributed.ranks",
                       .op = Requires::Op::kGreater,
                       .value = kOne,
                       .doc = "needs ranks: 2 or more"};
  Section section = {
      .name = "distributed",
      .doc = "Several processes that train together. Each launch starts a group of them.",
      .options = {
          {.name = "ranks",
           .type = OptionType::kInteger,
           .doc = "Processes of a launch. Each has RANK, LOCAL_RANK, WORLD_SIZE, MASTER_ADDR and "
                  "MASTER_PORT as torchrun sets them.",
           .unit = "ranks",
           .default_value = kOne,
           .min = 1,
           .max = 4096,
           .identity_default = kOne,
           .also_called = {"world_size", "nproc_per_node", "num_processes", "world"}},
          {.name = "launcher",
           .type = OptionType::kEnum,
           .doc = "What starts them. local: stepbench, on this machine; torchrun: that of the "
                  "interpreter, on this machine; srun: in the allocation that stepbench runs in; "
                  "mpirun: that of PATH.",
           .default_value = "local"s,
           .choices = {"local", "torchrun", "srun", "mpirun"},
           .identity_default = "local"s,
           .requires_ = ranks,
           .values_called = {{"slurm", "srun"}, {"mpi", "mpirun"}, {"mpiexec", "mpirun"}}},
          {.name = "launcher_args",
           .doc = "Options for the launcher, as a shell would split them: '--nodes 2', "
                  "'--hostfile hosts'.",
           .default_value = ""s,
           .identity = Identity::kContext,
           .requires_ = ranks},
          {.name = "bind",
           .doc = "Where ranks on other machines find stepbench: an interface or an address of "
                  "this machine. auto: all that it has. What they say is not encrypted.",
           .default_value = "auto"s,
           .identity = Identity::kContext,
           .requires_ = ranks},
      }};
  for (Option& option : gradient_options(ranks)) section.options.push_back(std::move(option));
  return section;
}

}  // namespace stepbench::catalogue
