// SPDX-License-Identifier: Apache-2.0
#include "harness/report/internal/number_ranges.h"

#include "tests/testing.h"

namespace stepbench::report {
namespace {

struct Alike {
  std::vector<std::string> sentences;
  const char* together;
};

TEST(NumberRanges, DifferingAmounts_AreMerged) {
  const Alike all[] = {
      {{"get_batch 2.279 ms: slow", "get_batch 6.411 ms: slow"},
       "get_batch 2.279 to 6.411 ms: slow"},
      {{"took 933 us.", "took 1.2 ms."}, "took 933 us to 1.2 ms."},
      {{"of 12 files", "of 12 files"}, "of 12 files"},
      {{"waited 1.1 %", "waited 2.9 to 6.1 %", "waited 1.8 to 9.1 %"}, "waited 1.1 to 9.1 %"},
      {{"drop 1 step (warmup: 6)", "drop 12 steps (warmup: 17)"},
       "drop 1 to 12 steps (warmup: 6 to 17)"},
      {{"in 1 of 3 launches", "in 2 of 3 launches"}, "in 1 to 2 of 3 launches"},
      {{"+1.2 % [+0.5, +2.0] of it", "+3.0 % [-1.0, +1.9] of it"},
       "+1.2 to +3.0 % [-1.0, +2.0] of it"},
      {{"held 1,024 of 2,048", "held 999 of 2,048"}, "held 999 to 1,024 of 2,048"},
      {{"1.5x as long", "12x as long"}, "1.5 to 12x as long"},
      {{"2 GiB free", "8.5 MiB free"}, "8.5 MiB to 2 GiB free"}};
  for (const Alike& each : all) {
    for (const std::string& sentence : each.sentences) {
      EXPECT_EQ(without_amounts(sentence), without_amounts(each.sentences.front())) << sentence;
    }
    EXPECT_EQ(with_ranges(each.sentences), each.together);
  }
}

TEST(NumberRanges, NameWithANumber_IsNoAmount) {
  const std::pair<const char*, const char*> all[] = {
      {"KeyError (script.py, line 6)", "KeyError (script.py, line 7)"},
      {"ended with exit code 1", "ended with exit code 2"},
      {"shard data-0001.tar", "shard data-0002.tar"},
      {"layer2 is slow", "layer3 is slow"},
      {"num_workers=2", "num_workers=4"},
      {"torch 2.11.0", "torch 2.12.0"},
      {"at 10:15", "at 10:16"},
      {"took 5 ms", "took 5 MiB"},
      {"5 files are hidden", "5 files are pipes"}};
  for (const auto& [a, b] : all) EXPECT_NE(without_amounts(a), without_amounts(b)) << a;
}

TEST(NumberRanges, OddTexts_AreUnchanged) {
  for (const std::string text :
       {"", "1", "[", "[1", "[1, 2", "+", "1,", ". 5", "-1.", "1 to", "1 to 2 to 3"}) {
    EXPECT_EQ(with_ranges({&text, 1}), text);
  }
}

}  // namespace
}  // namespace stepbench::report
