// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/loader_workload.h"
#include "workloads/loader/internal/analysis/loader_report.h"

#include <unistd.h>

#include "harness/base/error.h"
#include "harness/text/numbers.h"
#include "tests/testing.h"
#include "tests/unit/loading/case.h"
#include "tests/unit/loading/formats.h"
#include "tests/unit/loading/test_data.h"
#include "tests/workloads/workload_driver.h"
#include "workloads/loader/batches.h"
#include "workloads/loader/internal/make_loader.h"
#include "workloads/loader/internal/worker_cpus.h"

namespace stepbench {
namespace {

ResolvedCase small_case(std::int64_t workers, bool drop_last = false) {
  return test::loader_case({{"data.samples", std::int64_t{10}},
                            {"data.features", std::int64_t{4}},
                            {"loader.batch_size", std::int64_t{4}},
                            {"loader.epochs", "separate"},
                            {"loader.num_workers", workers},
                            {"loader.drop_last", drop_last}});
}

class LoaderWorkloadTest : public testing::TestWithParam<std::int64_t> {
 protected:
  TickClock clock;
  WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
};

TEST_P(LoaderWorkloadTest, EachStep_TakesOneBatch) {
  loader::LoaderWorkload workload(small_case(GetParam()), context);
  ASSERT_EQ(workload.set_up(), std::nullopt);
  EXPECT_EQ(workload.steps_per_epoch(), 3);
  StepRecorder recorder(clock);
  std::vector<std::int64_t> samples;
  std::vector<std::int64_t> flags;
  for (const StepRecorder::Step& step : test::take_steps(workload, recorder, 7)) {
    samples.push_back(test::count_of(step, Count::kSamples));
    flags.push_back(step.flags);
    EXPECT_GT(step.phase_ns[static_cast<std::size_t>(PhaseId::kDataWait)], 0);
    EXPECT_EQ(step.epoch_wait_ns > 0, (step.flags & kEpochBorder) != 0);
  }
  EXPECT_THAT(samples, ElementsAre(4, 4, 2, 4, 4, 2, 4));
  EXPECT_THAT(flags, ElementsAre(kFirstBatch, 0, kPartialBatch, kEpochBorder, 0, kPartialBatch,
                                 kEpochBorder));
  EXPECT_GT(context.life_cycle.loader_construct_ns, 0);
  EXPECT_GT(context.life_cycle.first_batch_ns, 0);
  workload.tear_down();
  EXPECT_GT(context.life_cycle.loader_tear_down_ns, 0);
}

TEST_P(LoaderWorkloadTest, JoinedEpochs_MakeEqualSteps) {
  ResolvedCase resolved = small_case(GetParam());
  resolved.options["loader.epochs"] = std::string("joined");
  loader::LoaderWorkload workload(resolved, context);
  ASSERT_EQ(workload.set_up(), std::nullopt);
  EXPECT_EQ(workload.steps_per_epoch(), 0);
  StepRecorder recorder(clock);
  std::int64_t flags = kFirstBatch;
  for (const StepRecorder::Step& step : test::take_steps(workload, recorder, 7)) {
    EXPECT_EQ(test::count_of(step, Count::kSamples), 4);
    EXPECT_EQ(step.flags, std::exchange(flags, 0));
    EXPECT_EQ(step.epoch_wait_ns, 0);
  }
  workload.tear_down();
}

TEST_P(LoaderWorkloadTest, Windows_ReportDeclaredMetrics) {
  loader::LoaderWorkload workload(small_case(GetParam()), context);
  ASSERT_EQ(workload.set_up(), std::nullopt);
  StepRecorder recorder(clock);
  (void)test::take_steps(workload, recorder, 5);
  workload.window(Edge::kBegin);
  (void)test::take_steps(workload, recorder, 6);
  workload.steps_done();
  workload.tear_down();
  const test::Told reported = test::told_by(workload);
  std::set<std::string> declared;
  for (const Metric& metric : loader::loader_metrics()) declared.insert(metric.name);
  for (const auto& [name, value] : reported.metrics) EXPECT_TRUE(declared.contains(name)) << name;
  EXPECT_TRUE(reported.metrics.contains("loader_wait_p50_ns"));
  double parts = 0;
  for (const char* part : {"blocked", "read", "receive", "pin", "dispatch"}) {
    parts += reported.metrics.at("loader_next_" + std::string(part) + "_ns");
  }
  EXPECT_DOUBLE_EQ(parts, reported.metrics.at("loader_next_ns"));
  EXPECT_EQ(reported.metrics.contains("loader_occupancy"), GetParam() > 0);
  EXPECT_EQ(reported.metrics.contains("loader_ready_at_begin"), GetParam() > 0);
  EXPECT_EQ(reported.metrics.contains("loader_ready_at_end"), GetParam() > 0);
  EXPECT_GT(reported.metrics.at("loader_first_wait_ns"), 0);
}

TEST_P(LoaderWorkloadTest, EmulatedStep_HasItsPhaseAndTime) {
  const HostClock host;
  WorkerContext own{.clock = host, .run_dir = {}, .shared_memory_prefix = {}};
  ResolvedCase resolved = small_case(GetParam());
  for (const char* where : {"sleep", "spin"}) {
    resolved.options["emulated.step_us"] = 300.0;
    resolved.options["emulated.where"] = std::string(where);
    loader::LoaderWorkload workload(resolved, own);
    ASSERT_EQ(workload.set_up(), std::nullopt);
    StepRecorder recorder(host);
    recorder.start_step(0);
    workload.step(recorder);
    const StepRecorder::Step& step = recorder.finish_step();
    EXPECT_GE(step.phase_ns[static_cast<std::size_t>(declared_phase(0))], 300'000) << where;
    EXPECT_FALSE(step.nested);
    workload.tear_down();
  }
}

TEST(EmulatedStep, Times_HaveMeanAndSpreadAndRepeat) {
  ResolvedCase resolved = small_case(0);
  resolved.options["emulated.step_us"] = 1000.0;
  resolved.options["emulated.cv"] = 0.3;
  const loader::EmulatedStep step(resolved);
  const loader::EmulatedStep again(resolved);
  constexpr int kDrawn = 20'000;
  double sum = 0, squares = 0;
  for (std::uint64_t i = 0; i < kDrawn; ++i) {
    const double us = step.time_us(i);
    EXPECT_EQ(us, again.time_us(i));
    sum += us;
    squares += us * us;
  }
  const double mean = sum / kDrawn;
  EXPECT_NEAR(mean, 1000, 10);
  EXPECT_NEAR(std::sqrt(squares / kDrawn - mean * mean) / mean, 0.3, 0.01);
}

TEST(EmulatedStep, NoTime_HasNoPhase) {
  const TickClock clock;
  StepRecorder recorder(clock);
  recorder.start_step(0);
  loader::EmulatedStep(small_case(0)).run(recorder);
  EXPECT_EQ(recorder.finish_step().occurred, 0U);
}

TEST(LoaderWorkloadAffinity, Cores_AreReportedPerWorker) {
  const std::vector<int> cores = loader::cores_of_this_process();
  const std::string first = std::to_string(cores.front());
  const std::string last = std::to_string(cores.back());
  const std::string apart = "worker 0: " + first + "; worker 1: " + last;
  const std::vector<std::pair<std::string, std::string>> expected = {
      {"none", text::cpu_list_text(cores)},
      {first, first},
      {first + "," + last, first == last ? first : apart}};
  std::vector<std::string> engines = {"thread"};
#ifndef __SANITIZE_THREAD__  // does not support a process that continues after a fork
  engines.emplace_back("fork");
#endif
  for (const std::string& engine : engines) {
    for (const auto& [affinity, said] : expected) {
      ResolvedCase resolved = small_case(2);
      resolved.options["loader.engine"] = engine;
      resolved.options["loader.affinity"] = affinity;
      const HostClock clock;
      WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
      loader::LoaderWorkload workload(resolved, context);
      ASSERT_EQ(workload.set_up(), std::nullopt);
      StepRecorder recorder(clock);
      workload.window(Edge::kBegin);
      (void)test::take_steps(workload, recorder, 7);
      workload.steps_done();
      workload.tear_down();
      const test::Told reported = test::told_by(workload);
      EXPECT_EQ(std::get<std::string>(reported.effects.at("loader.affinity")), said)
          << engine << ", " << affinity;
    }
  }
}

// Its workers start in set_up(), long before the first step.
TEST(LoaderWorkloadFork, FirstBatch_HasItsTimeAndWait) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer does not follow a process that forks and goes on";
#endif
  constexpr int kMeanwhile = 10'000;  // readings of the clock, a nanosecond each
  const TickClock clock;
  WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
  ResolvedCase resolved = small_case(1);
  resolved.options["loader.engine"] = std::string("fork");
  loader::LoaderWorkload workload(resolved, context);
  ASSERT_EQ(workload.set_up(), std::nullopt);
  for (int i = 0; i < kMeanwhile; ++i) (void)clock.now_ns();
  StepRecorder recorder(clock);
  recorder.start_step(0);
  workload.step(recorder);
  workload.tear_down();
  const test::Told reported = test::told_by(workload);
  EXPECT_GT(context.life_cycle.first_batch_ns, kMeanwhile);
  EXPECT_GT(reported.metrics.at("loader_first_wait_ns"), 0);
  EXPECT_LT(reported.metrics.at("loader_first_wait_ns"), kMeanwhile);
}

class LoaderWorkloadFiles : public testing::Test {
 protected:
  ~LoaderWorkloadFiles() override { fs::remove_all(folder_); }
  const fs::path folder_ =
      fs::temp_directory_path() / ("stepbench-cycle-" + std::to_string(::getpid()));
};

// With the files removed, preparing the page cache fails visibly.
TEST_F(LoaderWorkloadFiles, PageCache_IsPreparedPerCycle) {
  fs::create_directories(folder_ / "cat");
  std::ofstream(folder_ / "cat" / "0.jpg", std::ios::binary) << "not looked at";
  ResolvedCase resolved = test::loader_case(
      {{"data.kind", "jpeg_folder"}, {"data.path", folder_.string()}, {"data.page_cache", "warm"}});
  const TickClock clock;
  WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
  loader::LoaderWorkload workload(resolved, context);
  ASSERT_EQ(workload.set_up(), std::nullopt);
  workload.before_cycle();
  fs::remove(folder_ / "cat" / "0.jpg");
  workload.window(Edge::kBegin);
  EXPECT_THAT([&] { workload.before_cycle(); },
              ThrowsMessage<ConfigError>(HasSubstr("data.page_cache")));
  workload.tear_down();
}

TEST_F(LoaderWorkloadFiles, UnreadableSamples_AreCounted) {
  test::make("mnist_idx", folder_, {{"samples", 4}, {"size", 2}});
  ResolvedCase resolved = test::loader_case({{"data.kind", "mnist_idx"},
                                             {"data.path", folder_.string()},
                                             {"data.on_error", "skip"},
                                             {"data.split", "train"},
                                             {"loader.batch_size", std::int64_t{4}}});
  const TickClock clock;
  WorkerContext context{.clock = clock, .run_dir = {}, .shared_memory_prefix = {}};
  const auto notes = [&] {
    loader::LoaderWorkload workload(resolved, context);
    EXPECT_EQ(workload.set_up(), std::nullopt);
    StepRecorder recorder(clock);
    workload.window(Edge::kBegin);
    (void)test::take_steps(workload, recorder, 2);
    workload.steps_done();
    workload.tear_down();
    return test::told_by(workload).notes;
  };
  EXPECT_THAT(notes(), Not(Contains(HasSubstr("could not be read"))));
  for (const auto& each : fs::directory_iterator(folder_)) {
    if (each.path().filename().string().find("labels") == std::string::npos) continue;
    std::fstream file(each.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(9);
    file.put(77);
  }
  EXPECT_THAT(notes(), Contains("2 samples of 8 could not be read, and the next took its "
                                "place (data.on_error: skip)"));
}

TEST_P(LoaderWorkloadTest, EpochWithoutBatch_NamesDropLast) {
  ResolvedCase resolved = small_case(GetParam(), true);
  resolved.options["data.samples"] = std::int64_t{3};
  loader::LoaderWorkload workload(resolved, context);
  ASSERT_EQ(workload.set_up(), std::nullopt);
  StepRecorder recorder(clock);
  recorder.start_step(0);
  EXPECT_THAT([&] { workload.step(recorder); }, ThrowsMessage<Error>(HasSubstr("drop_last")));
  workload.tear_down();
  workload.tear_down();  // a second call does nothing
}

INSTANTIATE_TEST_SUITE_P(Workers, LoaderWorkloadTest, testing::Values(0, 1, 2));

}  // namespace
}  // namespace stepbench
