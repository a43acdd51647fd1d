// SPDX-License-Identifier: Apache-2.0
// Own runs: the log of a launch says the same in memory, in a file and in a compressed file.
#include <gtest/gtest.h>

#include "harness/analyze/analysis.h"
#include "harness/trace/read_trace.h"
#include "harness/trace/trace_of.h"
#include "tests/temporary_folder.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::analyze {
namespace {

using ::stepbench::testing::LogMaker;
using ::stepbench::testing::RandomLog;

// Steps that fetch data, copy it and run a kernel, as the worker's loop marks them.
ops::OpLog marked_log() {
  LogMaker maker;
  std::uint64_t correlation = 100;
  for (std::int64_t step = 0; step < 5; ++step) {
    const auto us = [&](std::int64_t offset) { return (1000 + 1000 * step + offset) * 1000; };
    maker.step(20 + step, us(0), us(1000));
    maker.phase("data_wait", 20 + step, us(0), us(300));
    maker.phase("forward", 20 + step, us(400), us(600));
    maker.op("aten::addmm", us(410), us(500));
    const auto addmm = static_cast<std::uint32_t>(maker.log.ops.size() - 1);
    ++correlation;
    maker.activity(ops::ActivityKind::kRuntime, "cudaLaunchKernel", us(420), us(430), correlation,
                   addmm);
    maker.activity(ops::ActivityKind::kKernel, "gemm", us(440), us(800), correlation, addmm);
    ++correlation;
    maker.activity(ops::ActivityKind::kRuntime, "cudaMemcpyAsync", us(310), us(390), correlation);
    ops::DeviceActivity& copy =
        maker.activity(ops::ActivityKind::kMemcpy, "Memcpy HtoD (Pageable -> Device)", us(320),
                       us(380), correlation);
    copy.stream = 20;
    copy.bytes = 600'000;
  }
  return maker.log;
}

TEST(OwnTraces, CountTheirFetchesOfDataThoughTheyAreWrittenAsOps) {
  const trace::Trace trace = trace::trace_of(marked_log());
  const Analysis analysis = analyse(trace);
  ASSERT_EQ(analysis.steps.steps.size(), 5U);
  EXPECT_EQ(analysis.steps.steps.front().number, 20);
  ASSERT_EQ(analysis.idle.size(), 1U);
  const StepTime& step = analysis.idle.front().steps[2];
  EXPECT_EQ(step.data_exposed_ns(), 300'000);
  EXPECT_EQ(step.copy_ns, 60'000);
  EXPECT_EQ(step.compute_ns, 360'000);
  EXPECT_EQ(step.of(IdleCause::kCopyCall), 20'000);
  ASSERT_TRUE(analysis.data_loading);
  EXPECT_EQ(analysis.data_loading->calls.size(), 5U);
}

void expect_the_same(const Analysis& a, const Analysis& b) {
  ASSERT_EQ(a.idle.size(), b.idle.size());
  for (std::size_t i = 0; i < a.idle.size(); ++i) {
    EXPECT_EQ(a.idle[i].steps, b.idle[i].steps);
    EXPECT_EQ(a.idle[i].places.size(), b.idle[i].places.size());
    EXPECT_EQ(a.idle[i].gap_count, b.idle[i].gap_count);
  }
  ASSERT_EQ(static_cast<bool>(a.tensorboard), static_cast<bool>(b.tensorboard));
  if (a.tensorboard) {
    EXPECT_EQ(a.tensorboard->mean_ns, b.tensorboard->mean_ns);
    EXPECT_EQ(a.tensorboard->eligible_share, b.tensorboard->eligible_share);
  }
  ASSERT_EQ(static_cast<bool>(a.holistic), static_cast<bool>(b.holistic));
  if (a.holistic) {
    EXPECT_EQ(a.holistic->overlaps.ns, b.holistic->overlaps.ns);
  }
  ASSERT_EQ(static_cast<bool>(a.operators), static_cast<bool>(b.operators));
  if (a.operators) {
    ASSERT_EQ(a.operators->size(), b.operators->size());
    for (std::size_t i = 0; i < a.operators->size(); ++i) {
      EXPECT_EQ((*a.operators)[i].self_host_ns, (*b.operators)[i].self_host_ns);
      EXPECT_EQ((*a.operators)[i].device_ns, (*b.operators)[i].device_ns);
    }
  }
  EXPECT_EQ(a.launches ? a.launches->idle_delay_ns : -1,
            b.launches ? b.launches->idle_delay_ns : -1);
  EXPECT_EQ(a.copies ? a.copies->groups.size() : 0, b.copies ? b.copies->groups.size() : 0);
}

TEST(OwnTraces, SayTheSameInMemoryAndInAFile) {
  const test::TemporaryFolder folder;
  std::vector<ops::OpLog> logs = {marked_log()};
  for (std::uint32_t seed = 0; seed < 20; ++seed) logs.push_back(RandomLog(seed).make());
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const trace::Trace in_memory = trace::trace_of(logs[i]);
    const Analysis expected = analyse(in_memory);
    for (const char* ending : {".pt.trace.json", ".pt.trace.json.gz"}) {
      const std::filesystem::path path = folder.path() / (std::to_string(i) + ending);
      trace::write_trace(logs[i], {}, path);
      const trace::Trace in_file = trace::read_trace(path);
      expect_the_same(expected, analyse(in_file));
    }
  }
}

}  // namespace
}  // namespace stepbench::analyze
