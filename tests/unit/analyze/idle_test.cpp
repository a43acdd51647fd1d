// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/idle.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/analyze/analysis.h"
#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::stepbench::testing::TraceMaker;

constexpr std::string_view kPageable = "Memcpy HtoD (Pageable -> Device)";

// One step [0, 100): data until 34, an op with a launch, a wait for the device.
trace::Trace worked_example() {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.loading(0, 34);
  maker.op("aten::add", 34, 38);
  maker.called(maker.kernel("gemm", 40, 60), "cudaLaunchKernel", 35, 37);
  maker.kernel("relu", 55, 80, 8);
  maker.copy(kPageable, 30, 42);
  maker.call("cudaStreamSynchronize", 80, 92);
  return maker.finish();
}

const IdlePlace* place_of(const IdleReport& report, IdleCause cause) {
  const auto found = std::find_if(report.places.begin(), report.places.end(),
                                  [&](const IdlePlace& place) { return place.cause == cause; });
  return found == report.places.end() ? nullptr : &*found;
}

TEST(Idle, SharesOutTheWorkedExample) {
  const trace::Trace trace = worked_example();
  const Analysis analysis = analyse(trace);
  ASSERT_EQ(analysis.idle.size(), 1U);
  const IdleReport& report = analysis.idle.front();
  EXPECT_EQ(report.scope, IdleScope::kDevice);
  ASSERT_EQ(report.steps.size(), 1U);
  const StepTime& step = report.steps.front();
  EXPECT_EQ(step.wall_ns, 100);
  EXPECT_EQ(step.compute_ns, 40);
  EXPECT_EQ(step.communication_ns, 0);
  EXPECT_EQ(step.copy_ns, 10);
  EXPECT_EQ(step.of(IdleCause::kDataLoading), 30);
  EXPECT_EQ(step.of(IdleCause::kSynchronise), 12);
  EXPECT_EQ(step.of(IdleCause::kUnattributed), 8);
  EXPECT_EQ(step.idle_total_ns(), 50);
  EXPECT_EQ(step.data_loading_ns, 34);
  EXPECT_EQ(step.data_hidden_ns, 4);
  ASSERT_TRUE(analysis.tracelens);
  EXPECT_EQ(analysis.tracelens->front().window.length_ns(), 50);
  EXPECT_EQ(analysis.tracelens->front().idle_ns, 0);
}

TEST(Idle, NamesTheOpThatSynchronised) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.op("aten::item", 50, 90);
  maker.op("aten::_local_scalar_dense", 52, 88);
  maker.call("cudaStreamSynchronize", 60, 80);
  maker.kernel("gemm", 0, 50);
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  const IdleReport& report = analysis.idle.front();
  const IdlePlace* place = place_of(report, IdleCause::kSynchronise);
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(trace.names[place->name].text, "aten::_local_scalar_dense");
  EXPECT_EQ(trace.names[place->call].text, "cudaStreamSynchronize");
  EXPECT_EQ(place->idle_ns, 20);
  EXPECT_EQ(place->longest, (TimeSpan{60, 80}));
  // The rest of the ops' time is theirs by name.
  EXPECT_EQ(report.steps.front().of(IdleCause::kHostOp), 20);
  const IdlePlace* op = place_of(report, IdleCause::kHostOp);
  ASSERT_NE(op, nullptr);
  EXPECT_EQ(trace.names[op->name].text, "aten::_local_scalar_dense");
  EXPECT_EQ(op->idle_ns, 16);
}

TEST(Idle, CountsExposedCommunicationAndCopiesApart) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.op("aten::mm", 0, 5);
  maker.kernel("gemm", 0, 30);
  maker.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, 50, 13);
  maker.copy("Memcpy DtoH (Device -> Pinned)", 45, 60);
  maker.work(trace::EventKind::kMemset, "Memset (Device)", 60, 63);
  const Analysis analysis = analyse(maker.finish());
  const StepTime& step = analysis.idle.front().steps.front();
  EXPECT_EQ(step.compute_ns, 30);
  EXPECT_EQ(step.communication_ns, 20);
  EXPECT_EQ(step.copy_ns, 13);
  EXPECT_EQ(step.of(IdleCause::kUnattributed), 37);
}

// A thread of autograd that works from 10 to 70, and annotations of the step thread around it.
trace::Trace with_backward() {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.op("aten::mm", 0, 10);
  maker.row(maker.main, trace::EventKind::kAnnotation, "## backward ##", 10, 80);
  maker.op_on(4712, "autograd::engine::evaluate_function: MmBackward0", 10, 70);
  maker.op_on(4712, "MmBackward0", 30, 40);
  maker.kernel("gemm", 40, 50);
  return maker.finish();
}

TEST(Idle, TellsTheBackwardPassApartAlsoUnderAnAnnotationOfTheStepThread) {
  const trace::Trace trace = with_backward();
  const Analysis analysis = analyse(trace);
  const IdleReport& report = analysis.idle.front();
  EXPECT_EQ(report.steps.front().of(IdleCause::kBackward), 50);
  EXPECT_EQ(report.steps.front().of(IdleCause::kHostOp), 20);
  EXPECT_EQ(report.steps.front().of(IdleCause::kOtherThread), 0);
  const IdlePlace* place = place_of(report, IdleCause::kBackward);
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(trace.names[place->name].text, "autograd::engine::evaluate_function: MmBackward0");
  EXPECT_EQ(trace.names[place->annotation].text, "## backward ##");
  EXPECT_EQ(place->idle_ns, 40);
  EXPECT_EQ(trace.lanes[place->lane].tid, 4712);
}

TEST(Idle, TellsTheBackwardPassApartOnTheStepThread) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.op("aten::mm", 0, 20);
  maker.op("autograd::engine::evaluate_function: MmBackward0", 20, 90);
  maker.op("aten::mm", 30, 80);
  const Analysis analysis = analyse(maker.finish());
  EXPECT_EQ(analysis.idle.front().steps.front().of(IdleCause::kBackward), 70);
  EXPECT_EQ(analysis.idle.front().steps.front().of(IdleCause::kHostOp), 20);
}

TEST(Idle, BlamesAnotherThreadOnlyForWhatTheStepThreadDoesNotExplain) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.op("aten::mm", 0, 20);
  maker.op_on(4712, "gather", 10, 70);
  maker.op_on(4712, "aten::cat", 30, 40);
  maker.kernel("gemm", 40, 50);
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  const IdleReport& report = analysis.idle.front();
  EXPECT_EQ(report.steps.front().of(IdleCause::kHostOp), 20);
  EXPECT_EQ(report.steps.front().of(IdleCause::kOtherThread), 40);
  EXPECT_EQ(report.steps.front().of(IdleCause::kUnattributed), 30);
  const IdlePlace* place = place_of(report, IdleCause::kOtherThread);
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(trace.names[place->name].text, "gather");
  EXPECT_EQ(place->idle_ns, 30);
  EXPECT_EQ(trace.lanes[place->lane].tid, 4712);
}

TEST(Idle, ShowsTheLongestGapsWithTheirNeighbours) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.op("aten::mm", 0, 10);
  maker.row(maker.main, trace::EventKind::kPython, "train.py(12): step", 0, 90);
  maker.row(maker.main, trace::EventKind::kPython, "train.py(40): log", 9, 61);
  maker.op("aten::add", 60, 70);
  maker.kernel("gemm", 10, 20);
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  const IdleReport& report = analysis.idle.front();
  ASSERT_EQ(report.gap_count, 2);
  EXPECT_EQ(report.gaps.front().at, (TimeSpan{20, 60}));
  EXPECT_EQ(trace.names[report.gaps.front().before].text, "aten::mm");
  EXPECT_EQ(trace.names[report.gaps.front().after].text, "aten::add");
  EXPECT_EQ(trace.names[report.gaps.front().python].text, "train.py(40): log");
  EXPECT_EQ(report.gaps.back().at, (TimeSpan{70, 100}));
}

TEST(Idle, SharesOutTheHostsOwnTimeWhereThereIsNoDevice) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.step(2, 100, 200);
  for (const std::int64_t at : {0, 100}) {
    maker.loading(at, at + 30);
    maker.op("aten::stack", at + 5, at + 25);
    maker.op("aten::mm", at + 40, at + 80);
  }
  const Analysis analysis = analyse(maker.finish());
  ASSERT_EQ(analysis.idle.size(), 1U);
  const IdleReport& report = analysis.idle.front();
  EXPECT_EQ(report.scope, IdleScope::kHost);
  EXPECT_FALSE(report.device);
  ASSERT_EQ(report.steps.size(), 2U);
  for (const StepTime& step : report.steps) {
    EXPECT_EQ(step.compute_ns, 0);
    EXPECT_EQ(step.of(IdleCause::kDataLoading), 30);
    EXPECT_EQ(step.of(IdleCause::kHostOp), 40);
    EXPECT_EQ(step.of(IdleCause::kUnattributed), 30);
    EXPECT_EQ(step.data_hidden_ns, 0);
  }
  EXPECT_FALSE(analysis.holistic);
  EXPECT_EQ(analysis.holistic.reason(), "the trace has no device rows");
}

TEST(Idle, TellsSeveralDevicesApartAndTogether) {
  TraceMaker maker;
  maker.step(1, 0, 100);
  maker.op("aten::mm", 0, 100);
  maker.kernel("gemm", 0, 40, 7, 0);
  maker.kernel("gemm", 30, 60, 7, 1);
  const Analysis analysis = analyse(maker.finish());
  ASSERT_EQ(analysis.idle.size(), 3U);
  EXPECT_EQ(analysis.idle[0].steps.front().compute_ns, 40);
  EXPECT_EQ(analysis.idle[1].steps.front().compute_ns, 30);
  EXPECT_EQ(analysis.idle[2].scope, IdleScope::kAllDevices);
  EXPECT_EQ(analysis.idle[2].steps.front().compute_ns, 60);
  EXPECT_EQ(analysis.idle[2].steps.front().of(IdleCause::kHostOp), 40);
  EXPECT_EQ(analysis.idle_of(1), &analysis.idle[1]);
  EXPECT_EQ(analysis.idle_of(std::nullopt), &analysis.idle[2]);
  EXPECT_EQ(analysis.idle_of(5), nullptr);
}

}  // namespace
}  // namespace stepbench::analyze
