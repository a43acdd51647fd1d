// SPDX-License-Identifier: Apache-2.0
#include "harness/record/launch_rows.h"

#include <gtest/gtest.h>

namespace stepbench::record {
namespace {

TEST(ResultFile, IsKnownByItsName) {
  EXPECT_TRUE(is_result_file("results/run/vm-1of1-12.jsonl"));
  EXPECT_TRUE(is_result_file("vm-1of1-12.jsonl.gz"));
  EXPECT_FALSE(is_result_file("experiment.yaml"));
  EXPECT_FALSE(is_result_file("history.db"));
}

TEST(ResultFile, IsNothingElseThatLiesBesideRuns) {
  EXPECT_FALSE(is_result_file("results/history.db.events.jsonl"));
  EXPECT_FALSE(is_result_file("results/history.events.jsonl"));
  EXPECT_FALSE(is_result_file("results/unfinished-night-0123456789abcdef.jsonl"));
}

}  // namespace
}  // namespace stepbench::record
