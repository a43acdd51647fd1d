// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/environment.h"

#include "tests/testing.h"

namespace stepbench::machine {
namespace {

TEST(LauncherEnvironment, ProfilerVariables_AreRemoved) {
  const Variables inherited = {{"PATH", "/bin"},
                               {"KINETO_CONFIG", "x"},
                               {"CUDA_INJECTION64_PATH", "y"},
                               {"LD_PRELOAD", "libjemalloc.so"}};
  const LauncherEnvironment environment = launcher_environment(inherited, {});
  EXPECT_EQ(environment.variables, (Variables{{"PATH", "/bin"}, {"LD_PRELOAD", "libjemalloc.so"}}));
  EXPECT_EQ(environment.removed,
            (std::vector<std::string>{"KINETO_CONFIG", "CUDA_INJECTION64_PATH"}));
}

TEST(LauncherEnvironment, Threads_SetOpenMpAndMkl) {
  ResolvedCase resolved;
  resolved.options = {{"threads.intra_op", Value{std::int64_t{3}}}};
  const Variables variables = launcher_environment({{"OMP_NUM_THREADS", "8"}}, resolved).variables;
  EXPECT_EQ(variables, (Variables{{"OMP_NUM_THREADS", "3"}, {"MKL_NUM_THREADS", "3"}}));
  resolved.options = {{"threads.intra_op", Value{std::string{"auto"}}}};
  EXPECT_EQ(launcher_environment({{"OMP_NUM_THREADS", "8"}}, resolved).variables,
            (Variables{{"OMP_NUM_THREADS", "8"}}));
}

TEST(LauncherEnvironment, EnvOfTheFile_Wins) {
  ResolvedCase resolved;
  resolved.options = {{"threads.intra_op", Value{std::int64_t{3}}},
                      {"env.OMP_NUM_THREADS", Value{std::string{"5"}}},
                      {"env.UNSET", Value{}}};
  const Variables variables = launcher_environment({}, resolved).variables;
  EXPECT_EQ(variables, (Variables{{"OMP_NUM_THREADS", "5"}, {"MKL_NUM_THREADS", "3"}}));
}

TEST(LauncherEnvironment, ModelStep_KeepsFreedMemory) {
  ResolvedCase resolved;
  resolved.options = {{"model.kind", Value{std::string{"mlp"}}}};
  const Variables kept = {{"MALLOC_MMAP_THRESHOLD_", "33554432"},
                          {"MALLOC_TRIM_THRESHOLD_", "1099511627776"}};
  EXPECT_EQ(launcher_environment({}, resolved).variables, kept);
  resolved.options.emplace("env.MALLOC_TRIM_THRESHOLD_", Value{std::string{"131072"}});
  EXPECT_EQ(launcher_environment({}, resolved).variables,
            (Variables{kept[0], {"MALLOC_TRIM_THRESHOLD_", "131072"}}));
}

TEST(LauncherEnvironment, ChosenAllocator_IsKept) {
  ResolvedCase resolved;
  resolved.options = {{"model.kind", Value{std::string{"mlp"}}}};
  for (const char* name : {"MALLOC_ARENA_MAX", "GLIBC_TUNABLES", "LD_PRELOAD"}) {
    EXPECT_EQ(launcher_environment({{name, "1"}}, resolved).variables, (Variables{{name, "1"}}));
  }
}

TEST(LauncherEnvironment, SpeedVariables_AreRecorded) {
  const Fields fields =
      relevant_variables({{"HOME", "/root"}, {"OMP_PROC_BIND", "true"}, {"LD_PRELOAD", "x"}});
  EXPECT_EQ(fields.size(), 2U);
  EXPECT_EQ(to_text(fields.at("env.OMP_PROC_BIND")), "true");
}

}  // namespace
}  // namespace stepbench::machine
