// SPDX-License-Identifier: Apache-2.0
#include "harness/cuda/allocator_window.h"

#include <gmock/gmock.h>

#include "tests/unit/cuda/note_sink.h"

namespace stepbench::cuda {
namespace {

using testing::HasSubstr;

TEST(AllocatorWindow, CountsArePerStepOfTheWindow) {
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
  EXPECT_EQ(sink.metrics.at("allocations_per_step"), 100);
  EXPECT_EQ(sink.metrics.at("device_allocations_per_step"), 0);
  EXPECT_EQ(sink.metrics.at("allocator_retries"), 0);
  EXPECT_EQ(sink.metrics.at("reserved_bytes"), 512);
  EXPECT_EQ(sink.metrics.at("peak_allocated_bytes"), 300);
  EXPECT_EQ(sink.metrics.at("peak_reserved_bytes"), 500);
  EXPECT_TRUE(sink.findings.empty());
}

TEST(AllocatorWindow, StepsThatStillCallTheDriverAreAFinding) {
  NoteSink sink;
  report({.begin = {.device_allocations = 40}, .end = {.device_allocations = 47}, .steps = 50},
         sink);
  ASSERT_EQ(sink.findings.size(), 1U);
  EXPECT_EQ(sink.findings[0].id, "allocator.device_allocations");
  EXPECT_EQ(sink.findings[0].value, 7);
  EXPECT_THAT(sink.findings[0].text, HasSubstr("7 calls of cudaMalloc in 50 measured steps"));
  EXPECT_THAT(sink.findings[0].remedy, HasSubstr("Warm up longer"));
}

TEST(AllocatorWindow, RetriesPointAtAFullDevice) {
  const auto finding =
      allocator_finding({.begin = {}, .end = {.device_allocations = 3, .retries = 2}, .steps = 10});
  ASSERT_TRUE(finding);
  EXPECT_THAT(finding->text, HasSubstr("2 after giving cached memory back"));
  EXPECT_THAT(finding->remedy, HasSubstr("loader.batch_size"));
}

TEST(AllocatorWindow, OfNoStepDividesByNothing) {
  NoteSink sink;
  report({.end = {.allocations = 4}}, sink);
  EXPECT_EQ(sink.metrics.at("allocations_per_step"), 4);
}

}  // namespace
}  // namespace stepbench::cuda
