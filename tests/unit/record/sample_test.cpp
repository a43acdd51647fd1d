// SPDX-License-Identifier: Apache-2.0
// data/version_1_0 was written by version 1.0.0 of the schema: every later reader must still accept
// it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/record/reader.h"

namespace stepbench::record {
namespace {

TEST(Sample, OfSchema100IsReadWithoutAWarning) {
  const Results results = read_results(std::filesystem::path(STEPBENCH_SOURCE_DIR) /
                                       "tests/unit/record/data/version_1_0");
  EXPECT_THAT(results.warnings, ::testing::IsEmpty());
  ASSERT_EQ(results.runs.size(), 1U);
  EXPECT_EQ(results.runs[0].name, "quickstart");
  EXPECT_EQ(results.launches.size(), 9U);
  EXPECT_TRUE(results.unfinished.empty());
  ASSERT_TRUE(results.end.has_value());
  EXPECT_EQ(results.end->measured, 9);
}

TEST(Sample, PhasesAndTheRestSumToEveryStepExactly) {
  const Results results = read_results(std::filesystem::path(STEPBENCH_SOURCE_DIR) /
                                       "tests/unit/record/data/version_1_0");
  std::size_t steps = 0;
  for (const Launch& launch : results.launches) {
    for (const CycleSamples& part : launch.samples) {
      for (std::size_t step = 0; step < part.steps.columns[0].size(); ++step, ++steps) {
        std::int64_t step_ns = 0;
        std::int64_t parts_ns = 0;
        for (std::size_t i = 0; i < part.steps.names.size(); ++i) {
          const std::string& name = part.steps.names[i];
          if (name == "step_ns") step_ns = part.steps.columns[i][step];
          const bool phase = name.ends_with("_ns") && name != "step_ns" && name != "epoch_wait_ns";
          if (phase) parts_ns += part.steps.columns[i][step];
        }
        ASSERT_EQ(parts_ns, step_ns);
      }
    }
  }
  EXPECT_EQ(steps, 180U);
}

}  // namespace
}  // namespace stepbench::record
