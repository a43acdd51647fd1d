// SPDX-License-Identifier: Apache-2.0
#include "harness/ops/op_table.h"

#include "tests/testing.h"

namespace stepbench::ops {
namespace {

OpTable stacks_of_two_lines() {
  OpTable table;
  table.strings = {"fetch",    "mine.py:4 in read", "open(path)",      "PIL.open",
                   "PIL.load", "collate",           "mine.py:9 in pad"};
  table.stacks = {{.part = 5, .place = 6, .samples = 5},
                  {.part = 0, .place = 1, .code = 2, .calls = 3, .samples = 4},
                  {.part = 0, .place = 1, .code = 2, .calls = 4, .samples = 3}};
  return table;
}

TEST(SampledLines, StacksOfALine_AreSummed) {
  const std::vector<SampledLine> lines = sampled_lines(stacks_of_two_lines());
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].samples, 7);
  EXPECT_EQ(in_words(lines[0]), "mine.py:4 in read, `open(path)`, in PIL.open");
  EXPECT_EQ(lines[1].part, "collate");
  EXPECT_EQ(in_words(lines[1]), "mine.py:9 in pad");
}

TEST(SampledLines, Frames_RoundTrip) {
  const OpTable back = op_table_of(frames_of(stacks_of_two_lines()));
  ASSERT_EQ(back.stacks.size(), 3U);
  EXPECT_EQ(back.stacks[0].calls, kNoIndex);
  EXPECT_EQ(back.text(back.stacks[2].calls), "PIL.load");
  EXPECT_EQ(back.stacks[2].samples, 3);
}

TEST(SampledLines, ControlCharacters_AreNotShown) {
  const SampledLine line{
      .part = "fetch", .place = "a.py:1 in f", .code = "x = '\x1b[31m'", .calls = ""};
  EXPECT_EQ(in_words(line).find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace stepbench::ops
