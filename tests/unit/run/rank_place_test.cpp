// SPDX-License-Identifier: Apache-2.0
// The rank of a process by the variables of each launcher, including stale ones.
#include "harness/run/internal/launchers.h"

#include "harness/base/error.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

using catalogue::launcher_named;
using machine::Variables;

TEST(RankPlace, Torchrun_IsReadFromItsVariables) {
  const RankPlace place = rank_place(
      launcher_named("torchrun"),
      {{"RANK", "5"}, {"WORLD_SIZE", "8"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "4"}});
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.world, 8);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_world, 4);
}

TEST(RankPlace, Srun_UsesTheStepSize) {
  const Variables variables = {{"SLURM_PROCID", "3"},  {"SLURM_NTASKS", "16"},
                               {"SLURM_LOCALID", "0"}, {"SLURM_STEP_NUM_TASKS", "5"},
                               {"SLURM_NODEID", "1"},  {"SLURM_STEP_TASKS_PER_NODE", "2(x2),1"}};
  EXPECT_EQ(rank_place(launcher_named("srun"), variables).world, 5);
  EXPECT_EQ(rank_place(launcher_named("srun"), variables).local_world, 2);
}

TEST(RankPlace, MpirunUnderSlurm_UsesMpirun) {
  const Variables variables = {{"SLURM_PROCID", "0"},
                               {"SLURM_STEP_NUM_TASKS", "1"},
                               {"OMPI_COMM_WORLD_RANK", "3"},
                               {"OMPI_COMM_WORLD_SIZE", "4"},
                               {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                               {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  EXPECT_EQ(rank_place(launcher_named("mpirun"), variables).rank, 3);
  EXPECT_EQ(rank_place(launcher_named("mpirun"), variables).world, 4);
}

TEST(RankPlace, Mpich_IsReadFromPmi) {
  const RankPlace place = rank_place(
      launcher_named("mpirun"), {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"MPI_LOCALRANKID", "1"}});
  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.local_world, 2) << "at least as many as its own number says";
}

TEST(RankPlace, NoLauncherOrNonsense_IsRejected) {
  const auto expect = [](const catalogue::Launcher& launcher, const Variables& variables,
                         const char* what) {
    EXPECT_THAT([&] { static_cast<void>(rank_place(launcher, variables)); },
                ThrowsMessage<ConfigError>(HasSubstr(what)));
  };
  expect(launcher_named("torchrun"), {{"RANK", "1"}}, "WORLD_SIZE: is not set, and RANK is");
  expect(launcher_named("torchrun"), {{"WORLD_SIZE", "2"}}, "RANK: is not set, and WORLD_SIZE is");
  expect(launcher_named("torchrun"), {{"RANK", "2"}, {"WORLD_SIZE", "2"}, {"LOCAL_RANK", "0"}},
         "RANK: is 2 where WORLD_SIZE is 2");
  expect(launcher_named("srun"), {}, "srun did not start this process");
  expect(launcher_named("torchrun"), {{"RANK", "one"}, {"WORLD_SIZE", "2"}},
         "invalid rank number: 'one'");
  // An empty value is unset.
  expect(launcher_named("torchrun"), {{"RANK", ""}, {"WORLD_SIZE", ""}},
         "did not start this process");
}

TEST(OneOfSeveral, LauncherVariables_AreRecognised) {
  const auto by_srun =
      one_of_several({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "4"}, {"RANK", ""}});
  ASSERT_TRUE(by_srun);
  EXPECT_EQ(by_srun->variables, "SLURM_PROCID=1 and SLURM_STEP_NUM_TASKS=4");
  EXPECT_EQ(by_srun->world, 4);
  EXPECT_FALSE(by_srun->may_be_stale);
  const Variables left = {{"RANK", "5"}, {"WORLD_SIZE", "2"}};
  EXPECT_TRUE(one_of_several(left)->may_be_stale) << "even where they do not fit each other";
  Variables under_torchrun = left;
  under_torchrun.emplace_back("TORCHELASTIC_RUN_ID", "none");
  EXPECT_FALSE(one_of_several(under_torchrun)->may_be_stale);
}

TEST(OneOfSeveral, BatchScriptOrSingle_IsNotOne) {
  EXPECT_FALSE(one_of_several({}));
  EXPECT_FALSE(one_of_several({{"RANK", "1"}}));
  EXPECT_FALSE(one_of_several({{"RANK", "0"}, {"WORLD_SIZE", "1"}}));
  EXPECT_FALSE(one_of_several({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}}));
  EXPECT_FALSE(one_of_several({{"RANK", "x"}, {"WORLD_SIZE", "many"}}));
}

TEST(RankPlace, SlurmTaskList_IsParsed) {
  EXPECT_EQ(tasks_of_node("2(x3),1", 2), 2);
  EXPECT_EQ(tasks_of_node("2(x3),1", 3), 1);
  EXPECT_EQ(tasks_of_node("4", 0), 4);
  EXPECT_EQ(tasks_of_node("4", 1), 0);
  EXPECT_EQ(tasks_of_node("", 0), 0);
  EXPECT_EQ(tasks_of_node("many", 0), 0);
}

TEST(Launchers, EachRank_RunsTheHiddenCommand) {
  EXPECT_THAT(launch_words(launcher_named("local"), 2, {}, "/bin/stepbench", ""),
              ElementsAre("/bin/stepbench", "__rank", "local", "2"));
  EXPECT_THAT(
      launch_words(launcher_named("torchrun"), 2, {}, "/bin/stepbench", "python3"),
      ElementsAre("python3", "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2",
                  "--no-python", "/bin/stepbench", "__rank", "torchrun"));
  EXPECT_THAT(launch_words(launcher_named("srun"), 4, {"--nodes", "2"}, "/bin/stepbench", ""),
              ElementsAre("srun", "-n", "4", "--overlap", "--export=ALL", "--kill-on-bad-exit=1",
                          "--nodes", "2", "/bin/stepbench", "__rank", "srun"));
  EXPECT_THAT(
      launch_words(launcher_named("mpirun"), 2, {"--oversubscribe"}, "/bin/stepbench", ""),
      ElementsAre("mpirun", "-n", "2", "--oversubscribe", "/bin/stepbench", "__rank", "mpirun"));
}

TEST(Launchers, UnknownName_ListsTheKnown) {
  EXPECT_THAT([] { static_cast<void>(launcher_named("slurm")); },
              ThrowsMessage<ConfigError>(
                  HasSubstr("must be one of local, torchrun, srun, mpirun, is 'slurm'")));
}

}  // namespace
}  // namespace stepbench::run
