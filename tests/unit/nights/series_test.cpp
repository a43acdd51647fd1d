// SPDX-License-Identifier: Apache-2.0
// Which facts start another series, which a new segment, and which neither.
#include "harness/nights/history.h"

#include "harness/nights/internal/imported_run.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

Value text(const char* value) { return std::string(value); }

record::LaunchRow launch_on(const char* device) {
  record::LaunchRow launch;
  launch.options = {{"device", text(device)}};
  return launch;
}

nights::EnvironmentKey on_cpu(const Fields& environment) {
  return nights::environment_key_of(launch_on("cpu"), environment);
}
nights::EnvironmentKey on_gpu(const Fields& environment) {
  return nights::environment_key_of(launch_on("cuda"), environment);
}

TEST(EnvironmentKey, OtherProcessor_IsAnotherSeries) {
  const Fields environment = {{"cpu.model", text("EPYC")}, {"cpu_capability", text("AVX512")}};
  EXPECT_THAT(on_cpu(environment).machine, ElementsAre(Key("cpu.model"), Key("cpu_capability")));
  EXPECT_THAT(on_cpu(environment).cohort, IsEmpty());
}

TEST(EnvironmentKey, Gpus_MatterToGpuCasesOnly) {
  const Fields environment = {{"gpu.count", Value{std::int64_t{1}}},
                              {"gpu.0", text("H100")},
                              {"gpu.driver", text("550.54")}};
  EXPECT_THAT(on_gpu(environment).machine, ElementsAre(Key("gpu.0"), Key("gpu.count")));
  EXPECT_THAT(on_gpu(environment).cohort, ElementsAre(Key("gpu.driver")));
  EXPECT_THAT(on_cpu(environment).machine, IsEmpty());
  EXPECT_THAT(on_cpu(environment).cohort, IsEmpty());
}

TEST(EnvironmentKey, SoftwareAndSettings_AreTheCohort) {
  for (const char* name :
       {"torch", "compiler", "mkl", "onednn", "openmp", "aslr", "memory.thp", "cpu.governor",
        "cpu.turbo", "cpu.smt", "cgroup.cpu_quota_cores", "intra_op_threads", "env.OMP_NUM_THREADS",
        "env.MALLOC_TRIM_THRESHOLD_"}) {
    EXPECT_THAT(on_cpu({{name, text("x")}}).cohort, Contains(Key(name))) << name;
    EXPECT_THAT(on_cpu({{name, text("x")}}).machine, IsEmpty()) << name;
  }
  for (const char* name : {"cuda_runtime", "cuda_driver", "cudnn"}) {
    EXPECT_THAT(on_gpu({{name, text("x")}}).cohort, Contains(Key(name))) << name;
    EXPECT_THAT(on_cpu({{name, text("x")}}).cohort, IsEmpty()) << name;
  }
}

TEST(EnvironmentKey, ReadingsAndNames_AreInNeither) {
  const Fields environment = {{"host", text("bench1")},
                              {"memory.bytes", Value{std::int64_t{1} << 30}},
                              {"memory.free_bytes", Value{std::int64_t{1} << 29}},
                              {"cpu.max_khz", Value{std::int64_t{3'600'000}}},
                              {"cpu.bogomips", Value{5600.0}},
                              {"gpu.0.clock_mhz", Value{std::int64_t{1755}}},
                              {"git.sha", text("5b66870")},
                              {"numa.nodes", text("0-1")},
                              {"pid", Value{std::int64_t{17}}}};
  for (const nights::EnvironmentKey& found : {on_cpu(environment), on_gpu(environment)}) {
    EXPECT_THAT(found.machine, IsEmpty());
    EXPECT_THAT(found.cohort, IsEmpty());
  }
}

TEST(EnvironmentKey, Kernel_CountsByTwoNumbers) {
  const auto cohort = [](const char* name, const char* value) {
    return text_of(on_cpu({{name, text(value)}}).cohort, name);
  };
  EXPECT_EQ(cohort("kernel", "6.18.44-fc-v669"), "6.18");
  EXPECT_EQ(cohort("kernel", "6.18.45-fc-v670"), "6.18");
  EXPECT_EQ(cohort("kernel", "6.19.1"), "6.19");
  EXPECT_EQ(cohort("kernel", "5.14.0-362.8.1.el9_3.x86_64"), "5.14");
  EXPECT_EQ(cohort("os", "Ubuntu 22.04.4 LTS"), "Ubuntu 22.04");
  EXPECT_EQ(cohort("os", "Debian GNU/Linux 12 (bookworm)"), "Debian GNU/Linux 12");
  EXPECT_EQ(cohort("os", "Arch Linux"), "Arch Linux");
}

TEST(EnvironmentKey, JobFoldersAndCores_AreNoChange) {
  const auto cohort = [](const char* name, const char* value) {
    return on_cpu({{name, text(value)}}).cohort;
  };
  EXPECT_EQ(cohort("env.LD_LIBRARY_PATH", "/builds/17/out/lib:/opt/torch/lib"),
            cohort("env.LD_LIBRARY_PATH", "/builds/18/out/lib/:/opt/torch/lib"));
  EXPECT_NE(cohort("env.LD_PRELOAD", "/usr/lib/libtcmalloc.so.4"),
            cohort("env.LD_PRELOAD", "/usr/lib/libjemalloc.so.2"));
  EXPECT_EQ(cohort("cpu.affinity", "0-3"), cohort("cpu.affinity", "4-7"));
  EXPECT_NE(cohort("cpu.affinity", "0-3"), cohort("cpu.affinity", "0-7"));
}

TEST(EnvironmentKey, MachinesChoice_IsInTheCohort) {
  record::LaunchRow launch = launch_on("auto");
  launch.options["threads.intra_op"] = text("auto");
  launch.options["loader.num_workers"] = Value{std::int64_t{2}};
  launch.options["schedule.active"] = text("auto");
  launch.report.effective = {{"device", text("cuda:1")},
                             {"data.digest", text("jpeg:512")},
                             {"loader.num_workers", Value{std::int64_t{2}}},
                             {"model.plugin_build", text("tonight")},
                             {"schedule.active", Value{std::int64_t{40}}},
                             {"threads.intra_op", Value{std::int64_t{8}}}};
  EXPECT_THAT(nights::environment_key_of(launch, {}).cohort,
              ElementsAre(Pair("data.digest", text("jpeg:512")), Pair("device", text("cuda")),
                          Pair("threads.intra_op", Value{std::int64_t{8}})));
}

TEST(Series, Id_FollowsCaseMetricAndMachine) {
  const nights::TrackedSeries series{.experiment = "nightly",
                                     .workload = "train_step",
                                     .case_id = "f672f0ea6306a318",
                                     .metric = "step_ns",
                                     .machine = {{"cpu.model", text("AMD EPYC")},
                                                 {"cpu_capability", text("AVX512")},
                                                 {"track.version", Value{std::int64_t{1}}}}};
  EXPECT_EQ(nights::series_id(series), "58ea5455014abe8f") << "as it stands on disks";
  const auto id_with = [&](const std::function<void(nights::TrackedSeries&)>& change) {
    nights::TrackedSeries other = series;
    change(other);
    return nights::series_id(other);
  };
  EXPECT_EQ(id_with([](auto& other) {
              other.experiment = "weekly";
              other.options = {{"loader.num_workers", Value{std::int64_t{2}}}};
              other.control = true;
            }),
            "58ea5455014abe8f");
  const std::set<std::string> others = {
      "58ea5455014abe8f", id_with([](auto& other) { other.workload = "loader"; }),
      id_with([](auto& other) { other.case_id = "bbbb"; }),
      id_with([](auto& other) { other.metric = "peak_bytes"; }),
      id_with([](auto& other) { other.machine["track.version"] = Value{std::int64_t{2}}; })};
  EXPECT_EQ(others.size(), 5U);
}

}  // namespace
}  // namespace stepbench::report
