// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_trees.h"

#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::ops {
namespace {

using NodeKind = ModuleNode::Kind;

// One step of 1000 ns: a convolution in layer1.0.conv1, an activation in layer1.0, a head, the
// convolution's backward, and the optimizer, which belongs to no module.
LogMaker small_model() {
  LogMaker maker;
  maker.log.modules = {"(model)", "layer1.0", "layer1.0.conv1", "fc"};
  const auto op = [&](std::string_view name, std::int64_t start_ns, std::int64_t end_ns,
                      std::uint32_t module) {
    maker.op(name, start_ns, end_ns).module = module;
    return static_cast<std::uint32_t>(maker.log.ops.size() - 1);
  };
  maker.step(0, 0, 1000);
  maker.phase("forward", 0, 10, 400);
  maker.phase("backward", 0, 400, 700);
  maker.phase("optimizer", 0, 700, 900);
  const std::uint32_t conv = op("aten::conv2d", 20, 120, 2);
  maker.log.ops[conv].sequence = 5;
  maker.memory(30, 4096, conv);
  op("aten::relu", 130, 160, 1);
  op("aten::add", 170, 180, 0);
  op("aten::linear", 200, 250, 3);
  OpEvent& backward = maker.op("ConvolutionBackward0", 410, 610);
  backward.scope = OpScope::kBackwardFunction;
  backward.sequence = 5;
  backward.forward_thread = 0;
  maker.op("aten::add_", 710, 760);
  return maker;
}

const ModuleNode& node_at(const ModuleTree& tree, NodeKind kind, const std::string& path = {}) {
  for (const ModuleNode& node : tree.nodes) {
    if (node.kind == kind && node.path == path) return node;
  }
  ADD_FAILURE() << "no " << name_of(kind) << " " << path;
  return tree.nodes.front();
}

// For every number, the children of a node sum to it.
void expect_sums(const ModuleTree& tree) {
  std::vector<ModuleNode> sums(tree.nodes.size());
  std::vector<bool> has_children(tree.nodes.size(), false);
  for (ModuleNode& sum : sums) sum.by_phase.resize(tree.phases.size() + 1);
  for (std::size_t i = 1; i < tree.nodes.size(); ++i) {
    const ModuleNode& node = tree.nodes[i];
    ASSERT_LT(node.parent, i);
    has_children[node.parent] = true;
    sums[node.parent].all += node.all;
    for (std::size_t phase = 0; phase < node.by_phase.size(); ++phase) {
      sums[node.parent].by_phase[phase] += node.by_phase[phase];
    }
  }
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const ModuleNode& node = tree.nodes[i];
    ModuleCost phases;
    for (const ModuleCost& cost : node.by_phase) phases += cost;
    EXPECT_EQ(phases, node.all) << node.path;
    if (!has_children[i]) continue;
    EXPECT_EQ(sums[i].all, node.all) << node.path;
    EXPECT_EQ(sums[i].by_phase, node.by_phase) << node.path;
  }
}

TEST(ModuleTree, EachModule_HasForwardAndBackward) {
  const ModuleTree tree = make_module_tree(table_of(small_model().log), 3);
  EXPECT_EQ(tree.steps, 1);
  EXPECT_EQ(tree.full_depth, 3U);
  EXPECT_THAT(tree.phases, ElementsAre("forward", "backward", "optimizer"));
  const ModuleNode& conv = node_at(tree, NodeKind::kModule, "layer1.0.conv1");
  EXPECT_EQ(conv.by_phase[0].cpu_ns, 100);
  EXPECT_EQ(conv.by_phase[1].cpu_ns, 200);
  EXPECT_EQ(conv.all.cpu_allocated_bytes, 4096);
  EXPECT_EQ(node_at(tree, NodeKind::kModule, "layer1").all.cpu_ns, 330);
  EXPECT_EQ(node_at(tree, NodeKind::kSelf, "layer1.0").all.cpu_ns, 30);
  EXPECT_EQ(node_at(tree, NodeKind::kModule, "(model)").all.cpu_ns, 390);
  EXPECT_EQ(node_at(tree, NodeKind::kNoModule).by_phase[2].cpu_ns, 50);
  EXPECT_EQ(node_at(tree, NodeKind::kOutsideOps).all.cpu_ns, 1000 - 440);
  EXPECT_EQ(tree.nodes.front().all.cpu_ns, 1000);
  EXPECT_EQ(tree.other_threads_ns, 0);
  expect_sums(tree);
}

TEST(ModuleTree, DeeperModules_CountToTheShownOne) {
  const OpTable table = table_of(small_model().log);
  const ModuleTree one = make_module_tree(table, 1);
  EXPECT_EQ(node_at(one, NodeKind::kModule, "layer1").all.cpu_ns, 330);
  for (const ModuleNode& node : one.nodes) EXPECT_LE(node.depth, 1U);
  const ModuleTree none = make_module_tree(table, 0);
  EXPECT_EQ(node_at(none, NodeKind::kModule, "(model)").all.cpu_ns, 390);
  EXPECT_EQ(none.nodes.size(), 4U);
}

TEST(ModuleTree, OtherThreads_AreOutsideTheStep) {
  LogMaker maker = small_model();
  maker.op("aten::stack", 300, 340, 2);
  const ModuleTree tree = make_module_tree(table_of(maker.log), 2);
  EXPECT_EQ(tree.other_threads_ns, 40);
  EXPECT_EQ(tree.nodes.front().all.cpu_ns, 1040);
  expect_sums(tree);
}

TEST(ModuleTree, Kernels_CountToTheirModule) {
  LogMaker maker = small_model();
  maker.activity(ActivityKind::kRuntime, "cudaLaunchKernel", 40, 50, 1, 0);
  maker.activity(ActivityKind::kKernel, "implicit_gemm", 500, 1300, 1, 0);
  maker.activity(ActivityKind::kKernel, "wgrad", 1300, 1700, 2, 4);
  const ModuleTree tree = make_module_tree(table_of(maker.log), 3);
  EXPECT_TRUE(tree.device);
  const ModuleNode& conv = node_at(tree, NodeKind::kModule, "layer1.0.conv1");
  EXPECT_EQ(conv.by_phase[0].device_ns, 800);
  EXPECT_EQ(conv.by_phase[1].device_ns, 400);
  EXPECT_EQ(tree.nodes.front().all.device_ns, 1200);
  EXPECT_EQ(tree.nodes.front().all.cpu_ns, 1000) << "runtime calls are part of the ops' time";
  expect_sums(tree);
}

TEST(ModuleTree, AnyLog_SumsToTheSteps) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    OpLog log = RandomLog(seed).make();
    std::ranges::replace(log.names, "ProfilerStep#3", "aten::step");  // no rows outside of steps
    log.modules = {"(model)", "a", "a.0", "a.0.conv", "a.1", "b.c.d.e"};
    for (std::size_t i = 0; i < log.ops.size(); ++i) {
      if (i % 3 != 0) log.ops[i].module = static_cast<std::uint32_t>(i % log.modules.size());
    }
    const OpTable table = table_of(log);
    const OpTotals totals = totals_of(table.rows);
    for (std::size_t depth = 0; depth < 5; ++depth) {
      const ModuleTree tree = make_module_tree(table, depth);
      expect_sums(tree);
      EXPECT_EQ(tree.nodes.front().all.cpu_ns, totals.self_cpu_ns);
      EXPECT_EQ(tree.nodes.front().all.device_ns, totals.self_device_ns);
      EXPECT_EQ(tree.nodes.front().all.flops, totals.flops);
    }
  }
}

TEST(ModuleTree, EmptyTable_IsAnEmptyStep) {
  const ModuleTree tree = make_module_tree({}, 2);
  EXPECT_EQ(tree.nodes.size(), 1U);
  EXPECT_THAT(tree.phases, IsEmpty());
}

}  // namespace
}  // namespace stepbench::ops
