// SPDX-License-Identifier: Apache-2.0
#include "harness/verdict/internal/cause.h"

#include "harness/ops/op_table.h"
#include "tests/testing.h"

namespace stepbench::verdict {
namespace {

struct MadeOp {
  std::string name;
  std::int64_t calls = 1;  // per step
  std::int64_t self_ns = 1000;
  std::string phase = "forward";
};

// Two steps of these ops.
record::Launch profiled(const std::vector<MadeOp>& ops, int number = 0) {
  ops::OpTable table;
  const auto index = [&](const std::string& text) {
    table.strings.push_back(text);
    return static_cast<std::uint32_t>(table.strings.size() - 1);
  };
  for (std::int64_t step = 0; step < 2; ++step) {
    for (const MadeOp& op : ops) {
      ops::OpRow row;
      row.name = index(op.name);
      row.phase = index(op.phase);
      row.step = step;
      row.calls = op.calls;
      row.self_cpu_ns = row.cpu_ns = op.self_ns;
      table.rows.push_back(row);
    }
  }
  record::Launch launch;
  launch.row.key = {.case_id = "c", .pass = Pass::kNative, .launch = number};
  launch.ops = ops::frames_of(table);
  return launch;
}

std::vector<const record::Launch*> pointers(const std::vector<record::Launch>& launches) {
  std::vector<const record::Launch*> result;
  for (const record::Launch& launch : launches) result.push_back(&launch);
  return result;
}

std::vector<OpChange> changes(const std::vector<record::Launch>& a,
                              const std::vector<record::Launch>& b, bool interleaved = true) {
  return op_changes(pointers(a), pointers(b), interleaved);
}

TEST(OpChanges, Counts_CompareByNameAndPhase) {
  const auto found = changes({profiled({{"aten::copy_", 12}, {"aten::mm", 4, 90'000}})},
                             {profiled({{"aten::copy_", 132}, {"aten::mm", 4, 90'000}})});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].name, "aten::copy_");
  EXPECT_EQ(found[0].phase, "forward");
  EXPECT_EQ(found[0].base_calls, 12);
  EXPECT_EQ(found[0].candidate_calls, 132);
  EXPECT_FALSE(found[0].change_ns) << "one launch tells no times";
}

TEST(OpChanges, OtherSideOrPhase_IsAnotherOp) {
  const auto found = changes({profiled({{"aten::mm", 1, 1'000'000}})},
                             {profiled({{"aten::mm", 1, 1'000'000}, {"aten::add"}})});
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].base_calls, 0);
  EXPECT_EQ(found[0].candidate_calls, 1);
  EXPECT_EQ(changes({profiled({{"aten::mm", 1, 1000, "forward"}})},
                    {profiled({{"aten::mm", 1, 1000, "backward"}})})
                .size(),
            2U);
}

TEST(OpChanges, Times_NeedThreePairsInTurns) {
  const auto side = [](std::int64_t extra) {
    std::vector<record::Launch> launches;
    for (int i = 0; i < 3; ++i) {
      launches.push_back(profiled({{"aten::mm", 1, 100'000 + extra + 100 * i}}, i));
    }
    return launches;
  };
  const auto found = changes(side(0), side(50'000));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].change_ns.value(), 50'000);
  EXPECT_DOUBLE_EQ(found[0].range_ns.low, 50'000);
  EXPECT_THAT(changes(side(0), side(50'000), false), IsEmpty()) << "all of the time, as before";
}

TEST(OpChanges, NoChange_IsEmpty) {
  const std::vector<MadeOp> ops = {{"aten::mm", 3}, {"aten::add", 5}};
  EXPECT_THAT(changes({profiled(ops)}, {profiled(ops)}), IsEmpty());
  EXPECT_THAT(changes({}, {profiled(ops)}), IsEmpty());
}

TEST(OpChanges, FailedLaunch_IsExcluded) {
  record::Results results;
  results.launches = {profiled({{"aten::mm"}}, 1), profiled({{"aten::mm"}}, 0)};
  results.launches[1].row.key.arm = "b";
  EXPECT_EQ(ProfiledLaunches(results).of("c", "b").size(), 1U);
  results.launches[1].row.outcome = Outcome::failed("died");
  EXPECT_THAT(ProfiledLaunches(results).of("c", "b"), IsEmpty());
}

}  // namespace
}  // namespace stepbench::verdict
