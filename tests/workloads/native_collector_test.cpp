// SPDX-License-Identifier: Apache-2.0
#include "workloads/profile/internal/native_collector.h"

#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/record_function.h>

#include <thread>

#include "harness/base/error.h"
#include "harness/traces/internal/op_tree.h"
#include "harness/traces/trace_files.h"
#include "tests/testing.h"
#include "tests/workloads/profiled_steps.h"
#include "workloads/profile/internal/kineto_collector.h"

namespace stepbench {
namespace {

template <typename Body>
ops::OpLog native_log(const Body& body, const profile::OpCollectorOptions& options = {},
                      profile::OpListener* listener = nullptr, bool tsc = true) {
  profile::NativeCollector collector(options, listener, tsc);
  collector.start();
  collector.begin_window(1);
  body();
  collector.end_window();
  return collector.take();
}

template <typename Body>
ops::OpLog kineto_log(const Body& body) {
  profile::KinetoCollector collector({});
  collector.start();
  collector.begin_window(1);
  body();
  collector.end_window();
  return collector.take();
}

std::string shapes_of(const ops::OpLog& log, std::size_t op) {
  return log.shapes.at(log.ops[op].shapes);
}

class Annotation {
 public:
  explicit Annotation(const std::string& name) : function_(at::RecordScope::USER_SCOPE) {
    function_.before(name);
  }

 private:
  at::RecordFunction function_;
};

TEST(NativeCollector, Ops_HaveNamesShapesAndNesting) {
  const at::Tensor a = at::ones({8, 4});
  const at::Tensor b = at::ones({4});
  const ops::OpLog log = native_log([&] { (void)at::add(a, b, 2); });
  ASSERT_THAT(test::names_of(log), ElementsAre("aten::add"));
  EXPECT_EQ(shapes_of(log, 0), "[[8, 4], [4], []]");
  EXPECT_LT(log.ops[0].start_ns, log.ops[0].end_ns);
  EXPECT_EQ(log.threads.size(), 1U);
}

TEST(NativeCollector, TensorList_HasNoShape) {
  const at::Tensor a = at::ones({2});
  const ops::OpLog log = native_log([&] { (void)at::cat({a, a}); });
  ASSERT_THAT(test::names_of(log), Contains("aten::cat"));
  EXPECT_EQ(shapes_of(log, 0), "[[], []]");
}

TEST(NativeCollector, ShapesAndMemory_AreOptional) {
  const ops::OpLog log =
      native_log([] { (void)at::ones({4}); }, {.shapes = false, .memory = false});
  EXPECT_FALSE(log.ops.empty());
  EXPECT_THAT(log.shapes, IsEmpty());
  EXPECT_THAT(log.memory, IsEmpty());
}

TEST(NativeCollector, OnlyTheWindow_IsKept) {
  profile::NativeCollector collector({});
  collector.start();
  { const Annotation before("before"); }
  collector.begin_window(1);
  { const Annotation in("in"); }
  collector.end_window();
  { const Annotation after("after"); }
  EXPECT_THAT(test::names_of(collector.take()), ElementsAre("in"));
}

TEST(NativeCollector, EqualAnnotations_Nest) {
  const ops::OpLog log = native_log([] {
    const Annotation outer("again");
    const Annotation inner("again");
    const Annotation other("other");
  });
  EXPECT_THAT(test::names_of(log), ElementsAre("again", "again", "other"));
  EXPECT_THAT(test::paths_of(log), Contains(HasSubstr("again[] > other[]")));
  EXPECT_GE(log.ops[0].end_ns, log.ops[1].end_ns);
}

TEST(NativeCollector, ForeignThreads_AreSeen) {
  const at::Tensor a = at::ones({4});
  const ops::OpLog log = native_log([&] { std::thread([&] { (void)at::add(a, a); }).join(); });
  ASSERT_EQ(log.ops.size(), 1U);
  EXPECT_EQ(log.ops[0].thread, 1U);
  EXPECT_NE(log.threads[0].id, log.threads[1].id);
}

TEST(NativeCollector, OpEndingElsewhere_IsAsynchronous) {
  const ops::OpLog log = native_log([] {
    std::optional<Annotation> far(std::in_place, "far");
    std::thread([&] { far.reset(); }).join();
    const Annotation later("later");
  });
  ASSERT_THAT(test::names_of(log), ElementsAre("far", "later"));
  EXPECT_TRUE(log.ops[0].async);
  EXPECT_NE(log.ops[0].end_thread, log.ops[0].thread);
  EXPECT_FALSE(log.ops[1].async);
}

TEST(NativeCollector, UnfinishedOp_IsDropped) {
  std::optional<Annotation> open;
  const ops::OpLog log = native_log([&] { open.emplace("open"); });
  EXPECT_THAT(log.ops, IsEmpty());
  EXPECT_EQ(log.dropped, 1);
  open.reset();
}

TEST(NativeCollector, Memory_CountsToTheInnermostOp) {
  const ops::OpLog log = native_log([] {
    const Annotation mine("mine");
    const at::Tensor kilobyte = at::empty({256});
  });
  ASSERT_EQ(log.memory.size(), 2U);
  EXPECT_EQ(log.memory[0].bytes, 1024);
  EXPECT_EQ(log.memory[1].bytes, -1024);
  const traces::Trace trace = traces::trace_of(log);
  const traces::OpTree tree(trace);
  std::vector<std::string> ops;
  for (const std::uint32_t node : tree.causes_of_memory()) {
    ops.push_back(tree.name(tree.nodes()[node]));
  }
  EXPECT_THAT(ops, ElementsAre("aten::empty", "mine"));
  EXPECT_EQ(log.memory[0].address, log.memory[1].address);
}

class PushLog final : public profile::OpListener {
 public:
  std::vector<std::uint64_t> open = {};
  std::vector<std::uint64_t> seen = {};
  void push(std::uint64_t id) noexcept override {
    open.push_back(id);
    seen.push_back(id);
  }
  void pop() noexcept override { open.pop_back(); }
};

TEST(NativeCollector, Listener_GetsEachOp) {
  PushLog pushes;
  profile::NativeCollector collector({}, &pushes);
  collector.start();
  collector.begin_window(1);
  {
    const Annotation outer("outer");
    { const Annotation inner("inner"); }
    EXPECT_EQ(pushes.open.size(), 1U);
  }
  collector.end_window();
  const ops::OpLog log = collector.take();
  EXPECT_THAT(pushes.open, IsEmpty());
  ASSERT_EQ(pushes.seen.size(), 2U);
  EXPECT_EQ(log.names[log.ops[collector.op_of(pushes.seen[1])].name], "inner");
  EXPECT_EQ(collector.op_of(pushes.seen[1] + 7), ops::kNoIndex);
}

TEST(NativeCollector, OutOfOrderEnd_KeepsTheListener) {
  PushLog pushes;
  (void)native_log(
      [] {
        std::optional<Annotation> first(std::in_place, "first");
        std::optional<Annotation> second(std::in_place, "second");
        first.reset();
        second.reset();
        std::optional<Annotation> far(std::in_place, "far");
        std::thread([&] { far.reset(); }).join();
        const Annotation last("last");
      },
      {}, &pushes);
  EXPECT_THAT(pushes.open, IsEmpty());
}

TEST(NativeCollector, OnlyOne_Collects) {
  profile::NativeCollector first({});
  first.start();
  profile::NativeCollector second({});
  EXPECT_THROW(second.start(), Error);
}

TEST(NativeCollector, NoTsc_StillWorks) {
  const ops::OpLog log = native_log([] { const Annotation one("one"); }, {}, nullptr, false);
  ASSERT_THAT(test::names_of(log), ElementsAre("one"));
  EXPECT_GE(log.ops[0].end_ns, log.ops[0].start_ns);
}

TEST(Collectors, Probe_IsRecorded) {
  profile::NativeCollector native({});
  EXPECT_EQ(profile::probe(native), std::nullopt);
  profile::KinetoCollector kineto({});
  EXPECT_EQ(profile::probe(kineto), std::nullopt);
}

TEST(Collectors, NestedAndAsyncEvents_Agree) {
  const auto body = [] {
    const Annotation outer("twice");
    const Annotation inner("twice");
    { const Annotation leaf("leaf"); }
    { const Annotation leaf("leaf"); }
    std::optional<Annotation> far(std::in_place, "far");
    std::thread([&] { far.reset(); }).join();
  };
  const ops::OpLog native = native_log(body);
  const ops::OpLog kineto = kineto_log(body);
  EXPECT_THAT(test::differences(test::paths_of(native), test::paths_of(kineto)), IsEmpty());
  EXPECT_THAT(test::differences(test::costs_of(native), test::costs_of(kineto)), IsEmpty());
  const auto asynchronous = [](const ops::OpLog& log) {
    return std::count_if(log.ops.begin(), log.ops.end(), [](const auto& op) { return op.async; });
  };
  EXPECT_EQ(asynchronous(native), 1);
  EXPECT_EQ(asynchronous(kineto), 1);
}

}  // namespace
}  // namespace stepbench
