// SPDX-License-Identifier: Apache-2.0
// Steps composed so that what they wait for, and what they would take without it, is known.
#include "harness/analyze/critical_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>

#include "harness/analyze/analysis.h"
#include "harness/analyze/replay.h"
#include "harness/document/render.h"
#include "harness/report/analysis_report.h"
#include "tests/unit/analyze/random_trace.h"
#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::testing::HasSubstr;
using testing::kUs;
using testing::TraceMaker;

constexpr std::int64_t kStepUs = 100;

// Three steps of 100 us, drawn by `draw` from their begin on: the one in the middle counts.
class Composed {
 public:
  template <typename Draw>
  explicit Composed(const Draw& draw) {
    for (std::int64_t i = 0; i < 3; ++i) {
      begin_ns_ = i * kStepUs * kUs;
      maker_.step(i, begin_ns_, begin_ns_ + kStepUs * kUs);
      draw(*this);
    }
    trace_ = maker_.finish();
    analysed_ = {
        .trace = &trace_, .path = "a.json", .analysis = analyse(trace_, {.critical_path = true})};
  }

  void op(std::string_view name, std::int64_t from, std::int64_t to) {
    maker_.op(name, at(from), at(to));
  }
  void loading(std::int64_t from, std::int64_t to) { maker_.loading(at(from), at(to)); }
  void call(std::string_view name, std::int64_t from, std::int64_t to) {
    maker_.call(name, at(from), at(to));
  }
  // A row, and the call of a us that launched it.
  void kernel(std::string_view name, std::int64_t call, std::int64_t from, std::int64_t to,
              std::int64_t stream = 7) {
    maker_.called(maker_.kernel(name, at(from), at(to), stream), "cudaLaunchKernel", at(call),
                  at(call + 1));
  }
  void copy(std::int64_t call, std::int64_t call_end, std::int64_t from, std::int64_t to) {
    maker_.called(maker_.copy("Memcpy HtoD (Pinned -> Device)", at(from), at(to), 4096, 7),
                  "cudaMemcpyAsync", at(call), at(call_end));
  }

  [[nodiscard]] const CriticalPath& path() const { return **analysed_.analysis.critical_path; }
  [[nodiscard]] double us(PathKind kind) const {
    return double(path().ns[static_cast<std::size_t>(kind)]) / kUs;
  }
  // What a step would take; where it is not told, as long as it does.
  [[nodiscard]] double without(std::string_view free) const {
    for (const WhatIf& what : path().what_ifs) {
      if (what.name == free) return what.step_ns / kUs;
    }
    return path().step_ns / kUs;
  }
  [[nodiscard]] std::string page() const {
    return document::render(report::analysis_document(analysed_, 10), {.columns = 160});
  }
  [[nodiscard]] std::string json() const { return report::analysis_json(analysed_, 0); }

 private:
  [[nodiscard]] std::int64_t at(std::int64_t us) const { return begin_ns_ + us * kUs; }

  TraceMaker maker_;
  std::int64_t begin_ns_ = 0;
  trace::Trace trace_;
  report::AnalysedTrace analysed_;
};

TEST(CriticalPath, OfAStepThatWaitsForItsDeviceGoesAlongTheDevice) {
  const Composed step([](Composed& draw) {
    draw.copy(1, 2, 4, 24);
    draw.kernel("gemm", 3, 24, 94);
    draw.call("cudaDeviceSynchronize", 10, 96);
  });
  EXPECT_EQ(step.path().path_ns, kStepUs * kUs);
  EXPECT_DOUBLE_EQ(step.us(PathKind::kCompute), 70);
  EXPECT_DOUBLE_EQ(step.us(PathKind::kCopy), 20);
  EXPECT_DOUBLE_EQ(step.us(PathKind::kLaunch), 3) << "until the copy began";
  EXPECT_DOUBLE_EQ(step.us(PathKind::kWait), 2) << "after the kernel had ended";
  EXPECT_DOUBLE_EQ(step.us(PathKind::kUnknown), 1 + 4);
  // The copy is gone at 4; the kernel's own launch holds it until 6.
  EXPECT_DOUBLE_EQ(step.without("copies"), 6 + 70 + 2 + 4);
  EXPECT_DOUBLE_EQ(step.without("computing kernels"), 24 + 2 + 4);
  EXPECT_DOUBLE_EQ(step.without("launch calls and their delay"), 1 + 20 + 70 + 2 + 4);
  EXPECT_DOUBLE_EQ(step.without("the host's own work"), 20 + 70 + 2);
  EXPECT_DOUBLE_EQ(step.without("waits of the host for the device"), 94);
  EXPECT_THAT(step.page(),
              HasSubstr("if copies took no time, a step would take 82.0 us in place of 100 us"));
  EXPECT_THAT(step.page(), HasSubstr("not known: what kernels and threads that run at once"));
  EXPECT_THAT(step.json(), HasSubstr(R"({"free":"copies","step_ns":82000)"));
}

TEST(CriticalPath, OfAStepOfTheHostLeavesTheDeviceOut) {
  const Composed step([](Composed& draw) {
    draw.op("aten::mul", 0, 100);
    draw.kernel("mul", 10, 20, 30);
  });
  EXPECT_DOUBLE_EQ(step.us(PathKind::kOperators), 99);
  EXPECT_DOUBLE_EQ(step.us(PathKind::kLaunch), 1);
  EXPECT_DOUBLE_EQ(step.without("computing kernels"), 100);
  EXPECT_DOUBLE_EQ(step.without("the host's own work"), 10) << "the kernel is left";
}

TEST(CriticalPath, ShowsWhatExposedLoadingCosts) {
  const Composed step([](Composed& draw) {
    draw.loading(0, 40);
    draw.op("aten::to", 5, 20);  // of the data set: it is loading
    draw.kernel("gemm", 50, 55, 90);
    draw.call("cudaStreamSynchronize", 52, 91);
  });
  EXPECT_DOUBLE_EQ(step.us(PathKind::kLoading), 40);
  EXPECT_DOUBLE_EQ(step.without("data loading"), 60);
}

// Work that the step launched and did not wait for belongs to it: loading hides behind it.
TEST(CriticalPath, ShowsThatHiddenLoadingCostsNothing) {
  const Composed step([](Composed& draw) {
    draw.kernel("gemm", 1, 5, 98);
    draw.loading(10, 60);
    draw.call("cudaDeviceSynchronize", 60, 99);
  });
  EXPECT_DOUBLE_EQ(step.without("data loading"), 100);
  EXPECT_DOUBLE_EQ(step.us(PathKind::kLoading), 0);
  EXPECT_DOUBLE_EQ(step.us(PathKind::kCompute), 93);
}

TEST(CriticalPath, GuessesThatARowWaitedForTheStreamThatHadJustEnded) {
  const Composed step([](Composed& draw) {
    draw.kernel("backward", 1, 10, 40, 7);
    draw.kernel("ncclDevKernel_AllReduce_Sum_f32", 3, 12, 70, 30);
    draw.kernel("optimizer", 5, 72, 90, 7);
    draw.call("cudaDeviceSynchronize", 8, 92);
  });
  EXPECT_EQ(step.path().guessed_waits, 1);
  EXPECT_DOUBLE_EQ(step.us(PathKind::kCommunication), 58);
  EXPECT_DOUBLE_EQ(step.us(PathKind::kQueue), 2);
  // Then the optimizer waits for backward alone.
  EXPECT_DOUBLE_EQ(step.without("communication"), 40 + 18 + 2 + 8);
  EXPECT_THAT(step.page(), HasSubstr("guessed: 1 row waited for one of another stream"));
}

TEST(CriticalPath, WaitsForACopyInsideItsOwnCall) {
  const Composed step([](Composed& draw) {
    draw.copy(10, 50, 15, 48);
    draw.op("aten::relu", 60, 100);
  });
  EXPECT_DOUBLE_EQ(step.us(PathKind::kCopy), 33);
  EXPECT_DOUBLE_EQ(step.without("copies"), 100 - 33);
}

TEST(CriticalPath, IsNotToldWhereDeviceRowsHaveNoCalls) {
  TraceMaker maker;
  maker.step(0, 0, 100 * kUs);
  maker.op("aten::mm", 0, 50 * kUs);
  maker.kernel("gemm", 10 * kUs, 40 * kUs);
  const Analysis analysis = analyse(maker.finish(), {.critical_path = true});
  ASSERT_TRUE(analysis.critical_path);
  EXPECT_FALSE(*analysis.critical_path);
  EXPECT_EQ(analysis.critical_path->reason(),
            "100 % of the devices' time has no call that launched it: what it waited for is not "
            "known");
  EXPECT_FALSE(analyse(maker.finish()).critical_path) << "nobody asked";
}

TEST(CriticalPath, ReplaysEveryTraceAsItWasAndIsNeverLongerWithLessWork) {
  int told = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    const trace::Trace trace = testing::trace_of_rows(testing::RandomTrace(seed, 20'000, 1).rows());
    const Timeline timeline(trace);
    const Steps steps = find_steps(timeline);
    const std::vector<std::size_t> counted = steps.counted();
    if (counted.empty() || steps.lane == ops::kNoIndex) continue;
    const StepReplay replay(
        timeline, steps,
        {steps.steps[counted.front()].window.begin_ns, steps.steps[counted.back()].window.end_ns});
    ASSERT_EQ(replay.end_ns({}), replay.measured_end_ns()) << seed;
    const ValueOrReason<CriticalPath> path = find_critical_path(timeline, steps);
    if (!path) continue;
    ++told;
    ASSERT_EQ(std::accumulate(path->ns.begin(), path->ns.end(), std::int64_t{0}), path->path_ns)
        << seed;
    for (const WhatIf& what : path->what_ifs) ASSERT_LT(what.step_ns, path->step_ns) << seed;
  }
  EXPECT_GT(told, 100);
}

}  // namespace
}  // namespace stepbench::analyze
