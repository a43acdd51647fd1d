// SPDX-License-Identifier: Apache-2.0
#include "harness/run/stack_place.h"

#include <gtest/gtest.h>

namespace stepbench::run {
namespace {

constexpr const char* kInBackward =
    "loss 0.5\nCurrent thread 0x00007f (most recent call first):\n"
    "  File \"/x/site-packages/torch/autograd/graph.py\", line 825 in _engine_run_backward\n"
    "  File \"/x/site-packages/torch/_tensor.py\", line 630 in backward\n"
    "  File \"/home/me/train.py\", line 92 in main\n"
    "  File \"/home/me/train.py\", line 99 in <module>\n"
    "  File \"/x/stepbench_worker/script.py\", line 30 in run\n";
constexpr const char* kInLoader =
    "Current thread 0x00007f (most recent call first):\n"
    "  File \"/home/me/data.py\", line 12 in __getitem__\n"
    "  File \"/x/site-packages/torch/utils/data/_utils/fetch.py\", line 52 in fetch\n"
    "  File \"/home/me/train.py\", line 80 in main\n";

TEST(StackPlace, IsTheInnermostFrameOfTheUsers) {
  EXPECT_EQ(place_in_stack(kInBackward)->text, "train.py, line 92, in main");
  EXPECT_TRUE(place_in_stack(kInBackward)->in_torch);
  EXPECT_EQ(place_in_stack(kInLoader)->text, "data.py, line 12, in __getitem__");
  EXPECT_FALSE(place_in_stack(kInLoader)->in_torch);
}

TEST(StackPlace, OfSeveralStacksTheLastCounts) {
  EXPECT_EQ(place_in_stack(std::string(kInLoader) + kInBackward)->text,
            "train.py, line 92, in main");
}

TEST(StackPlace, WithoutAStackNothingIsSaid) {
  EXPECT_FALSE(place_in_stack(""));
  EXPECT_FALSE(place_in_stack("loss 0.5\n"));
  EXPECT_FALSE(place_in_stack("Current thread 0x1 (most recent call first):\n"));
  EXPECT_FALSE(place_in_stack("(most recent call first):\n  File \"cut"));
  EXPECT_FALSE(place_in_stack("(most recent call first):\n  <no Python frame>\n"));
}

}  // namespace
}  // namespace stepbench::run
