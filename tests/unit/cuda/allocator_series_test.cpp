// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/allocator.h"

#include "harness/worker/internal/window_samples.h"
#include "tests/testing.h"
#include "tests/unit/cuda/note_sink.h"

namespace stepbench::cuda {
namespace {

// An allocator with counters set by the test.
struct Scene {
  AllocatorCounters counters;
  int reads = 0;
  int resets = 0;
  bool broken = false;
  NoteSink said;
  AllocatorSeries series{{.read =
                              [this] {
                                ++reads;
                                if (broken) throw std::runtime_error("the device is gone");
                                return counters;
                              },
                          .reset_peaks =
                              [this] {
                                ++resets;
                                counters.peak_allocated_bytes = counters.allocated_bytes;
                                counters.peak_reserved_bytes = counters.reserved_bytes;
                              }},
                         4};

  void step(std::int64_t index, std::int64_t blocks, std::int64_t device_calls,
            std::int64_t peak_bytes) {
    series.step_begin(index);
    counters.allocations += blocks;
    counters.device_allocations += device_calls;
    counters.reserved_bytes += 1000 * device_calls;
    counters.peak_allocated_bytes = std::max(counters.peak_allocated_bytes, peak_bytes);
    counters.peak_reserved_bytes = std::max(counters.peak_reserved_bytes, counters.reserved_bytes);
    series.step_end();
  }

  Series cycle(std::size_t steps) {
    Series columns{{"step_ns"}, {std::vector<std::int64_t>(steps, 1)}};
    series.add_columns(columns);
    return columns;
  }
};

TEST(AllocatorSeries, EachStep_HasItsCountsAndPeak) {
  Scene scene;
  ASSERT_EQ(scene.series.exercise(), std::nullopt);
  scene.series.change(Action::kNone, Action::kWarmup);
  scene.counters = {.allocations = 500, .device_allocations = 40, .allocated_bytes = 200};
  scene.step(0, 50, 3, 900);
  scene.series.change(Action::kWarmup, Action::kRecord);
  scene.step(1, 10, 0, 300);
  scene.counters.allocated_bytes = 250;
  scene.step(2, 20, 2, 700);
  scene.series.change(Action::kRecord, Action::kRecordAndSave);
  scene.step(3, 10, 0, 260);
  const Series cycle = scene.cycle(3);
  EXPECT_THAT(cycle.column("step_allocations"), ElementsAre(10, 20, 10));
  EXPECT_THAT(cycle.column("step_device_allocations"), ElementsAre(0, 2, 0));
  EXPECT_THAT(cycle.column("step_allocated_bytes"), ElementsAre(200, 250, 250));
  EXPECT_THAT(cycle.column("step_reserved_bytes"), ElementsAre(3000, 5000, 5000));
  EXPECT_THAT(cycle.column("step_peak_allocated_bytes"), ElementsAre(300, 700, 260));
}

TEST(AllocatorSeries, Finding_NamesStepsWithDriverCalls) {
  Scene scene;
  ASSERT_EQ(scene.series.exercise(), std::nullopt);
  for (std::int64_t cycle = 0; cycle < 2; ++cycle) {
    scene.series.change(Action::kWarmup, Action::kRecord);
    for (std::int64_t i = 0; i < 10; ++i) scene.step(20 * cycle + i, 5, i % 2, 10);
    (void)scene.cycle(10);
    scene.series.change(Action::kRecord, Action::kNone);
  }
  scene.series.report(scene.said);
  ASSERT_EQ(scene.said.findings.size(), 1U);
  const Finding& finding = scene.said.findings.front();
  EXPECT_EQ(finding.id, "allocator.device_allocations");
  EXPECT_EQ(finding.value, 10);
  EXPECT_THAT(finding.text, HasSubstr("10 calls of cudaMalloc in 20 measured steps (step 1, 3, 5, "
                                      "7, 9, 21, 23, 25 and 2 more)"));
  EXPECT_THAT(finding.evidence, Contains("step_device_allocations"));
}

TEST(AllocatorSeries, SteadyState_ReportsPeaksOnly) {
  Scene scene;
  ASSERT_EQ(scene.series.exercise(), std::nullopt);
  EXPECT_EQ(scene.reads, 1);
  scene.series.change(Action::kNone, Action::kWarmup);
  scene.step(0, 5, 1, 10);
  EXPECT_EQ(scene.reads, 1) << "outside windows nothing is read";
  scene.series.report(scene.said);
  EXPECT_THAT(scene.said.metrics, IsEmpty());
  scene.series.change(Action::kWarmup, Action::kRecord);
  scene.step(1, 5, 0, 800);
  scene.step(2, 5, 0, 300);
  (void)scene.cycle(2);
  scene.series.report(scene.said);
  EXPECT_THAT(scene.said.findings, IsEmpty());
  EXPECT_EQ(scene.said.metrics.at("peak_allocated_bytes"), 800);
}

TEST(AllocatorSeries, ThrowingAllocator_EndsTheColumns) {
  Scene scene;
  ASSERT_EQ(scene.series.exercise(), std::nullopt);
  scene.series.change(Action::kWarmup, Action::kRecord);
  scene.step(1, 5, 0, 10);
  scene.broken = true;
  scene.step(2, 5, 0, 10);
  scene.broken = false;
  scene.step(3, 5, 0, 10);
  EXPECT_THAT(scene.cycle(3).names, Not(Contains("step_allocations")));
  scene.series.report(scene.said);
  EXPECT_THAT(scene.said.notes, ElementsAre("no allocator series: the device is gone"));
  Scene unreadable;
  unreadable.broken = true;
  EXPECT_EQ(unreadable.series.exercise(), "the device is gone");
}

TEST(AllocatorSeries, AdjacentWindows_AreSeparate) {
  Scene scene;
  ASSERT_EQ(scene.series.exercise(), std::nullopt);
  scene.series.change(Action::kNone, Action::kRecordAndSave);
  scene.step(0, 10, 0, 300);
  EXPECT_THAT(scene.cycle(1).column("step_allocations"), ElementsAre(10));
  scene.counters.allocations += 7;  // between the windows
  scene.series.change(Action::kRecordAndSave, Action::kRecordAndSave);
  scene.step(1, 20, 0, 300);
  EXPECT_THAT(scene.cycle(1).column("step_allocations"), ElementsAre(20));
}

TEST(AllocatorWindow, Counts_ArePerStep) {
  NoteSink sink;
  report({.begin = {.allocations = 1000, .device_allocations = 40, .retries = 1},
          .end = {.allocations = 6000,
                  .device_allocations = 40,
                  .retries = 1,
                  .reserved_bytes = 512,
                  .peak_allocated_bytes = 300,
                  .peak_reserved_bytes = 500},
          .steps = 50},
         sink);
  for (const auto& [name, value] :
       {std::pair("allocations_per_step", 100), std::pair("device_allocations_per_step", 0),
        std::pair("allocator_retries", 0), std::pair("reserved_bytes", 512),
        std::pair("peak_allocated_bytes", 300), std::pair("peak_reserved_bytes", 500)}) {
    EXPECT_EQ(sink.metrics.at(name), value) << name;
  }
  EXPECT_TRUE(sink.findings.empty());
  report({.end = {.allocations = 4}}, sink);
  EXPECT_EQ(sink.metrics.at("allocations_per_step"), 4) << "of no step";
}

TEST(AllocatorWindow, DriverCalls_AreAFinding) {
  NoteSink sink;
  report({.begin = {.device_allocations = 40},
          .end = {.device_allocations = 47, .retries = 2},
          .steps = 50},
         sink);
  ASSERT_EQ(sink.findings.size(), 1U);
  EXPECT_EQ(sink.findings[0].id, "allocator.device_allocations");
  EXPECT_EQ(sink.findings[0].value, 7);
  EXPECT_THAT(sink.findings[0].text, HasSubstr("2 after giving cached memory back"));
  EXPECT_THAT(sink.findings[0].remedy, HasSubstr("loader.batch_size"));
  const auto calm = allocator_finding({.begin = {}, .end = {.device_allocations = 3}, .steps = 10});
  ASSERT_TRUE(calm);
  EXPECT_THAT(calm->remedy, HasSubstr("Warm up longer"));
}

}  // namespace
}  // namespace stepbench::cuda
