// SPDX-License-Identifier: Apache-2.0
#include "harness/traces/internal/op_tree.h"

#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::traces {
namespace {

// A log's ops by index, in the tree of its trace.
struct Tree {
  explicit Tree(const ops::OpLog& log) : trace(traces::trace_of(log)), tree(trace) {}

  [[nodiscard]] std::string parent_of(std::size_t op) const {
    for (const traces::TraceLane& lane : trace.lanes) {
      for (const traces::TraceEvent& event : lane.events) {
        if (event.external != op + 1 || traces::is_call(event.kind)) continue;
        const std::uint32_t node = tree.node_of(event);
        if (node == ops::kNoIndex) return "left out";
        const std::uint32_t parent = tree.nodes()[node].parent;
        return parent == ops::kNoIndex ? "" : tree.name(tree.nodes()[parent]);
      }
    }
    return "not in the trace";
  }

  traces::Trace trace;
  OpTree tree;
};

struct Called {
  const char* name;
  std::int64_t begin_ns, end_ns;
  const char* parent;  // null: not checked
  std::uint32_t thread = 0;
  std::uint32_t end_thread = 0;
  bool async = false;
};

struct Nested {
  const char* why;
  std::vector<Called> ops;
  std::size_t nodes;
};

TEST(OpTree, Parent_IsTheSmallestCallAround) {
  const Nested kNested[] = {
      {"a child lies wholly in its parent on the same thread",
       {{"outer", 0, 100, ""},
        {"inner", 10, 20, "outer"},
        {"innermost", 12, 20, "inner"},
        {"elsewhere", 13, 15, "", 1, 1},
        {"touches the end", 100, 110, ""},
        {"sticks out", 105, 111, ""}},
       6},
      {"of two equal intervals the first is the parent",
       {{"first", 5, 9, ""}, {"second", 5, 9, "first"}},
       2},
      {"the order of the log does not matter",
       {{"inner", 10, 20, "outer"}, {"outer", 0, 100, ""}},
       2},
      {"an asynchronous event has neither parent nor children",
       {{"outer", 0, 100, ""},
        {"future", 10, 50, "", 0, 1},
        {"inside both", 20, 30, "outer"},
        {"says so", 60, 70, "", 0, 0, true}},
       4},
      {"an only child with its parent's name is merged through all generations",
       {{"aten::add", 0, 100, ""},
        {"aten::add", 10, 90, ""},
        {"aten::add", 20, 80, ""},
        {"aten::fill_", 30, 40, "aten::add"}},
       2},
      {"a recursive call with siblings stays",
       {{"aten::add", 0, 100, ""},
        {"aten::add", 10, 40, "aten::add"},
        {"aten::fill_", 50, 60, "aten::add"}},
       3},
      {"bookkeeping is left out, and its children count to who called it",
       {{"aten::linear", 0, 100, ""},
        {"aten::output_nr", 10, 90, "left out"},
        {"aten::t", 20, 30, "aten::linear"}},
       2},
  };
  for (const Nested& each : kNested) {
    SCOPED_TRACE(each.why);
    LogMaker maker;
    for (const Called& call : each.ops) {
      ops::OpEvent& op = maker.op(call.name, call.begin_ns, call.end_ns, call.thread);
      op.end_thread = call.end_thread;
      op.async = call.async;
    }
    const Tree made(maker.log);
    EXPECT_EQ(made.tree.nodes().size(), each.nodes);
    for (std::size_t i = 0; i < each.ops.size(); ++i) {
      EXPECT_EQ(made.parent_of(i), each.ops[i].parent) << each.ops[i].name;
    }
  }
}

TEST(OpTree, Marks_MakeMissingSteps) {
  LogMaker maker;
  maker.step(7, 0, 100);
  maker.phase("forward", 7, 5, 50);
  maker.op("aten::mm", 10, 20);
  const Tree marked(maker.log);
  EXPECT_EQ(marked.tree.nodes().size(), 2U);
  EXPECT_EQ(marked.parent_of(0), "ProfilerStep*");
  maker.annotation("ProfilerStep#7", 1, 99);
  const Tree recorded(maker.log);
  EXPECT_EQ(recorded.tree.nodes().size(), 2U);
  EXPECT_EQ(recorded.parent_of(0), "ProfilerStep*");
}

TEST(OpTree, RuntimeCall_CountsToTheOpsThread) {
  LogMaker maker;
  maker.op("aten::mm", 0, 100, 1);
  ops::DeviceActivity& call =
      maker.activity(ops::ActivityKind::kRuntime, "cudaLaunchKernel", 10, 20, 1, 0);
  call.thread = 0;
  const Tree made(maker.log);
  ASSERT_EQ(made.tree.nodes().size(), 2U);
  EXPECT_EQ(made.tree.nodes()[1].parent, 0U);
  EXPECT_EQ(made.tree.nodes()[1].kind, ops::OpKind::kCall);
}

}  // namespace
}  // namespace stepbench::traces
