// SPDX-License-Identifier: Apache-2.0
#include "harness/analyze/copies.h"

#include <gtest/gtest.h>

#include "harness/analyze/analysis.h"
#include "tests/unit/analyze/trace_maker.h"

namespace stepbench::analyze {
namespace {

using ::stepbench::testing::kUs;
using ::stepbench::testing::TraceMaker;

constexpr std::string_view kPageableUp = "Memcpy HtoD (Pageable -> Device)";
constexpr std::string_view kPinnedUp = "Memcpy HtoD (Pinned -> Device)";

CopyGroup only_group(TraceMaker& maker) {
  const trace::Trace trace = maker.finish();
  const Analysis analysis = analyse(trace);
  EXPECT_EQ(analysis.copies->groups.size(), 1U);
  return analysis.copies->groups.front();
}

TEST(Copies, OfPageableMemoryBlockTheirCall) {
  TraceMaker maker;
  maker.step(1, 0, 5000 * kUs);
  maker.kernel("gemm", 100 * kUs, 900 * kUs);
  maker.called(maker.copy(kPageableUp, 1000 * kUs, 3000 * kUs, 20'000'000), "cudaMemcpyAsync",
               500 * kUs, 2950 * kUs);
  const CopyGroup group = only_group(maker);
  EXPECT_EQ(group.host, trace::MemoryKind::kPageable);
  EXPECT_EQ(group.direction, ops::CopyKind::kHostToDevice);
  EXPECT_EQ(group.blocking, 1);
  EXPECT_EQ(group.bytes, 20'000'000);
  EXPECT_DOUBLE_EQ(group.bytes_per_ns.median, 10);
  EXPECT_EQ(group.exposed_ns, 2000 * kUs);
  EXPECT_EQ(group.call_ns, 2450 * kUs);
  // The call began 500 us before the copy: the device worked for 400 of them.
  EXPECT_EQ(group.wait_busy_ns, 400 * kUs);
  EXPECT_EQ(group.wait_idle_ns, 100 * kUs);
}

TEST(Copies, OfPinnedMemoryBlockOnlyWhereTheirCallOutlastsThem) {
  TraceMaker maker;
  maker.step(1, 0, 5000 * kUs);
  maker.called(maker.copy(kPinnedUp, 20 * kUs, 60 * kUs, 4096), "cudaMemcpyAsync", 0, 10 * kUs);
  maker.called(maker.copy(kPinnedUp, 120 * kUs, 160 * kUs, 4096), "cudaMemcpyAsync", 100 * kUs,
               200 * kUs);
  maker.called(maker.copy(kPinnedUp, 320 * kUs, 360 * kUs, 4096), "cudaMemcpy", 300 * kUs,
               340 * kUs);
  const CopyGroup group = only_group(maker);
  EXPECT_EQ(group.count, 3);
  EXPECT_EQ(group.blocking, 2);
}

TEST(Copies, HiddenUnderKernelsAreNotExposed) {
  TraceMaker maker;
  maker.step(1, 0, 5000 * kUs);
  maker.kernel("gemm", 0, 100 * kUs);
  maker.called(maker.copy(kPinnedUp, 80 * kUs, 130 * kUs), "cudaMemcpyAsync", 0, kUs);
  const CopyGroup group = only_group(maker);
  EXPECT_EQ(group.device_ns, 50 * kUs);
  EXPECT_EQ(group.exposed_ns, 30 * kUs);
  EXPECT_FALSE(group.bytes) << "the row does not say";
}

TEST(Copies, CountInTheStepsThatTheSummaryRestsOn) {
  TraceMaker maker;
  for (std::int64_t i = 0; i < 4; ++i) {
    const std::int64_t at = i * 100 * kUs;
    maker.step(i, at, at + 100 * kUs);
    maker.called(maker.copy(kPinnedUp, at + 10 * kUs, at + 20 * kUs, 1000), "cudaMemcpyAsync", at,
                 at + kUs);
  }
  const CopyGroup group = only_group(maker);
  EXPECT_EQ(group.count, 4);
  EXPECT_EQ(group.in_steps, 2);
  EXPECT_EQ(group.bytes, 2000);
}

TEST(Copies, SayWhyThereAreNone) {
  TraceMaker maker;
  maker.kernel("gemm", 0, 10);
  const Analysis analysis = analyse(maker.finish());
  EXPECT_FALSE(analysis.copies);
  EXPECT_EQ(analysis.copies.reason(), "the trace has no copies");
}

}  // namespace
}  // namespace stepbench::analyze
