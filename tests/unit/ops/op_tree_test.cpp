// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_tree.h"

#include <gtest/gtest.h>

#include "tests/unit/ops/log_maker.h"

namespace stepbench::ops {
namespace {

using testing::LogMaker;

// Of the op with this index in the log.
std::string parent_name(const OpTree& tree, std::uint32_t op) {
  const std::uint32_t node = tree.node_of_op[op];
  if (node == kNoIndex) return "left out";
  const std::uint32_t parent = tree.nodes[node].parent;
  return parent == kNoIndex ? "" : tree.names[tree.nodes[parent].name];
}

TEST(OpTree, AChildLiesWhollyInItsParentOnTheSameThread) {
  LogMaker maker;
  maker.op("outer", 0, 100);
  maker.op("inner", 10, 20);
  maker.op("innermost", 12, 20);
  maker.op("elsewhere", 13, 15, 1);
  maker.op("touches the end", 100, 110);
  maker.op("sticks out", 105, 111);
  const OpTree tree = build_op_tree(maker.log);
  EXPECT_EQ(parent_name(tree, 0), "");
  EXPECT_EQ(parent_name(tree, 1), "outer");
  EXPECT_EQ(parent_name(tree, 2), "inner");
  EXPECT_EQ(parent_name(tree, 3), "");
  EXPECT_EQ(parent_name(tree, 4), "");
  EXPECT_EQ(parent_name(tree, 5), "");
}

TEST(OpTree, OfTwoEqualIntervalsTheFirstIsTheParent) {
  LogMaker maker;
  maker.op("first", 5, 9);
  maker.op("second", 5, 9);
  const OpTree tree = build_op_tree(maker.log);
  EXPECT_EQ(parent_name(tree, 1), "first");
  EXPECT_EQ(parent_name(tree, 0), "");
}

TEST(OpTree, DoesNotDependOnTheOrderOfTheLog) {
  LogMaker maker;
  maker.op("inner", 10, 20);
  maker.op("outer", 0, 100);
  EXPECT_EQ(parent_name(build_op_tree(maker.log), 0), "outer");
}

TEST(OpTree, AnAsynchronousEventHasNeitherParentNorChildren) {
  LogMaker maker;
  maker.op("outer", 0, 100);
  maker.op("future", 10, 50).end_thread = 1;
  maker.op("inside both", 20, 30);
  maker.op("says so", 60, 70).async = true;
  const OpTree tree = build_op_tree(maker.log);
  EXPECT_EQ(parent_name(tree, 1), "");
  EXPECT_EQ(parent_name(tree, 2), "outer");
  EXPECT_EQ(parent_name(tree, 3), "");
}

TEST(OpTree, AnOnlyChildWithItsParentsNameIsMergedThroughAllGenerations) {
  LogMaker maker;
  maker.op("aten::add", 0, 100);
  maker.op("aten::add", 10, 90);
  maker.op("aten::add", 20, 80);
  maker.op("aten::fill_", 30, 40);
  const OpTree tree = build_op_tree(maker.log);
  ASSERT_EQ(tree.nodes.size(), 2U);
  EXPECT_EQ(tree.nodes[0].duration_ns(), 100);
  EXPECT_EQ(tree.node_of_op[2], 0U);
  EXPECT_EQ(parent_name(tree, 3), "aten::add");
}

TEST(OpTree, ARecursiveCallWithSiblingsStays) {
  LogMaker maker;
  maker.op("aten::add", 0, 100);
  maker.op("aten::add", 10, 40);
  maker.op("aten::fill_", 50, 60);
  EXPECT_EQ(build_op_tree(maker.log).nodes.size(), 3U);
}

TEST(OpTree, LeavesOutBookkeepingAndCountsItsChildrenToWhoCalledIt) {
  LogMaker maker;
  maker.op("aten::linear", 0, 100);
  maker.op("aten::output_nr", 10, 90);
  maker.op("aten::t", 20, 30);
  const OpTree tree = build_op_tree(maker.log);
  EXPECT_EQ(parent_name(tree, 1), "left out");
  EXPECT_EQ(parent_name(tree, 2), "aten::linear");
}

TEST(OpTree, MakesStepsFromMarksUnlessTheCollectorRecordedThem) {
  LogMaker maker;
  maker.step(7, 0, 100);
  maker.phase("forward", 7, 5, 50);
  maker.op("aten::mm", 10, 20);
  const OpTree marked = build_op_tree(maker.log);
  EXPECT_EQ(marked.nodes.size(), 2U);
  EXPECT_EQ(parent_name(marked, 0), "ProfilerStep*");
  maker.annotation("ProfilerStep#7", 1, 99);
  const OpTree recorded = build_op_tree(maker.log);
  EXPECT_EQ(recorded.nodes.size(), 2U);
  EXPECT_EQ(parent_name(recorded, 0), "ProfilerStep*");
}

TEST(OpTree, ARuntimeCallCountsToTheThreadOfItsOp) {
  LogMaker maker;
  maker.op("aten::mm", 0, 100, 1);
  DeviceActivity& call = maker.activity(ActivityKind::kRuntime, "cudaLaunchKernel", 10, 20, 1, 0);
  call.thread = 0;
  const OpTree tree = build_op_tree(maker.log);
  ASSERT_EQ(tree.nodes.size(), 2U);
  EXPECT_EQ(tree.nodes[1].parent, 0U);
  EXPECT_EQ(tree.nodes[1].kind, OpKind::kCall);
}

}  // namespace
}  // namespace stepbench::ops
