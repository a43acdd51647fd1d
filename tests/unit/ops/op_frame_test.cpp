// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_table.h"

#include "harness/base/error.h"
#include "harness/record/internal/line_codec.h"
#include "tests/testing.h"
#include "tests/unit/ops/log_maker.h"

namespace stepbench::ops {
namespace {

// Everything that a reader could ask of a table.
std::string described(const OpTable& table) {
  std::string text;
  for (const OpFrame& frame : frames_of(table))
    text += record::encode(record::OpsRow{.key = {}, .frame = frame});
  return text;
}

TEST(OpFrame, AnyNumberOfFrames_RoundTrips) {
  const OpTable table = table_of(RandomLog(3).make(40));
  const std::vector<OpFrame> small = frames_of(table, 2000);
  EXPECT_GT(small.size(), 10U);
  const OpTable back = op_table_of(small);
  EXPECT_EQ(back.rows.size(), table.rows.size());
  EXPECT_EQ(back.activities.size(), table.activities.size());
  EXPECT_EQ(back.memory.size(), table.memory.size());
  EXPECT_EQ(back.calls.size(), table.calls.size());
  EXPECT_EQ(described(back), described(table));
}

TEST(OpFrame, AnyNames_KeepTheLineLimit) {
  OpTable table;
  for (int i = 0; i < 200; ++i) {
    table.strings.push_back(std::string(300, '\x01') + std::to_string(i));
    table.rows.push_back({.name = static_cast<std::uint32_t>(i),
                          .cpu_ns = std::numeric_limits<std::int64_t>::min()});
  }
  constexpr std::size_t kLimit = 20'000;
  for (const OpFrame& frame : frames_of(table, kLimit)) {
    EXPECT_LT(record::encode(record::OpsRow{.key = {}, .frame = frame}).size(), kLimit + 5'000);
  }
}

TEST(OpFrame, UnknownTablesAndColumns_AreIgnored) {
  const OpFrame frames[] = {{.table = "of the future", .series = {{"x"}, {{1}}}},
                            {.table = "ops",
                             .strings = {"aten::mm"},
                             .series = {{"name", "colour", "calls"}, {{0, -1}, {7, 8}, {3, 4}}}}};
  const OpTable table = op_table_of(frames);
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.text(table.rows[0].name), "aten::mm");
  EXPECT_EQ(table.text(table.rows[1].name), "");
  EXPECT_EQ(table.rows[1].calls, 4);
}

TEST(OpFrame, InvalidIndex_NamesItsColumn) {
  const OpFrame frame{.table = "ops", .strings = {"a"}, .series = {{"module"}, {{5}}}};
  EXPECT_THAT(test::error_of([&] {
                (void)op_table_of({&frame, 1});
              }),
              HasSubstr("column 'module': 5"));
}

}  // namespace
}  // namespace stepbench::ops
