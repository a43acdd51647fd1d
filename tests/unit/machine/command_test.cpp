// SPDX-License-Identifier: Apache-2.0
#include "harness/os/command.h"

#include <gtest/gtest.h>

#include "harness/machine/launcher_environment.h"

namespace stepbench {
namespace {

using namespace std::chrono_literals;

TEST(Command, GivesInputAndTakesBothOutputs) {
  const CommandResult result = run_command({"sh", "-c", "cat; echo no >&2; exit 3"}, "hello", 60s);
  EXPECT_TRUE(result.started);
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(result.out, "hello");
  EXPECT_EQ(result.err, "no\n");
}

TEST(Command, TakesMuchInBothDirectionsAtOnce) {
  const std::string much(3 << 20, 'x');
  EXPECT_EQ(run_command({"cat"}, much, 60s).out.size(), much.size());
}

TEST(Command, SurvivesAProgramThatDoesNotRead) {
  EXPECT_EQ(run_command({"true"}, std::string(3 << 20, 'x'), 60s).exit_status, 0);
}

TEST(Command, KillsWhatTakesTooLong) {
  const CommandResult result = run_command({"sleep", "1000"}, "", 100ms);
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_status, 128 + 9);
}

TEST(Command, SaysWhyAProgramCannotBeRun) {
  const CommandResult result = run_command({"/nowhere/program"}, "", 1s);
  EXPECT_FALSE(result.started);
  EXPECT_EQ(result.reason, "No such file or directory");
}

TEST(LauncherEnvironment, TakesOutWhatWouldAttachAProfilerAndKeepsTheRest) {
  const Variables inherited = {{"PATH", "/bin"},
                               {"KINETO_CONFIG", "x"},
                               {"CUDA_INJECTION64_PATH", "y"},
                               {"LD_PRELOAD", "libjemalloc.so"}};
  const LauncherEnvironment environment = launcher_environment(inherited, {});
  EXPECT_EQ(environment.variables, (Variables{{"PATH", "/bin"}, {"LD_PRELOAD", "libjemalloc.so"}}));
  EXPECT_EQ(environment.removed,
            (std::vector<std::string>{"KINETO_CONFIG", "CUDA_INJECTION64_PATH"}));
}

TEST(LauncherEnvironment, ThreadsSetWhatOpenMpAndMklRead) {
  ResolvedCase resolved;
  resolved.options = {{"threads.intra_op", Value{std::int64_t{3}}}};
  const Variables variables = launcher_environment({{"OMP_NUM_THREADS", "8"}}, resolved).variables;
  EXPECT_EQ(variables, (Variables{{"OMP_NUM_THREADS", "3"}, {"MKL_NUM_THREADS", "3"}}));
  resolved.options = {{"threads.intra_op", Value{std::string{"auto"}}}};
  EXPECT_EQ(launcher_environment({{"OMP_NUM_THREADS", "8"}}, resolved).variables,
            (Variables{{"OMP_NUM_THREADS", "8"}}));
}

TEST(LauncherEnvironment, TheFilesEnvWinsOverAll) {
  ResolvedCase resolved;
  resolved.options = {{"threads.intra_op", Value{std::int64_t{3}}},
                      {"env.OMP_NUM_THREADS", Value{std::string{"5"}}},
                      {"env.UNSET", Value{}}};
  const Variables variables = launcher_environment({}, resolved).variables;
  EXPECT_EQ(variables, (Variables{{"OMP_NUM_THREADS", "5"}, {"MKL_NUM_THREADS", "3"}}));
}

TEST(LauncherEnvironment, AModelStepKeepsTheMemoryThatItFreed) {
  ResolvedCase resolved;
  resolved.options = {{"model.kind", Value{std::string{"mlp"}}}};
  const Variables kept = {{"MALLOC_MMAP_THRESHOLD_", "33554432"},
                          {"MALLOC_TRIM_THRESHOLD_", "1099511627776"}};
  EXPECT_EQ(launcher_environment({}, resolved).variables, kept);
  resolved.options.emplace("env.MALLOC_TRIM_THRESHOLD_", Value{std::string{"131072"}});
  EXPECT_EQ(launcher_environment({}, resolved).variables,
            (Variables{kept[0], {"MALLOC_TRIM_THRESHOLD_", "131072"}}));
}

TEST(LauncherEnvironment, WhoeverChoseAnAllocatorKeepsIt) {
  ResolvedCase resolved;
  resolved.options = {{"model.kind", Value{std::string{"mlp"}}}};
  for (const char* name : {"MALLOC_ARENA_MAX", "GLIBC_TUNABLES", "LD_PRELOAD"}) {
    EXPECT_EQ(launcher_environment({{name, "1"}}, resolved).variables, (Variables{{name, "1"}}));
  }
}

TEST(LauncherEnvironment, RecordsWhatChangesSpeed) {
  const Fields fields =
      relevant_variables({{"HOME", "/root"}, {"OMP_PROC_BIND", "true"}, {"LD_PRELOAD", "x"}});
  EXPECT_EQ(fields.size(), 2U);
  EXPECT_EQ(to_text(fields.at("env.OMP_PROC_BIND")), "true");
}

}  // namespace
}  // namespace stepbench
