// SPDX-License-Identifier: Apache-2.0
// Mistyped and shortened names, and words of sentences.
#include "harness/text/words.h"
#include "harness/base/error.h"
#include "harness/text/names.h"
#include "tests/testing.h"

namespace stepbench::text {
namespace {

const std::vector<std::string> kNames = {"num_workers", "prefetch_factor", "pin_memory", "seed"};

TEST(EditDistance, InsertDeleteReplaceSwap_CountOne) {
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("abc", "abc"), 0U);
  EXPECT_EQ(edit_distance("abc", "acb"), 1U);
  EXPECT_EQ(edit_distance("abc", "ac"), 1U);
  EXPECT_EQ(edit_distance("abc", "abxd"), 2U);
}

TEST(Nearest, MistypedAndPartialNames_AreFound) {
  EXPECT_EQ(nearest("num_wrokers", kNames), "num_workers");
  EXPECT_EQ(nearest("NumWorkers", kNames), "num_workers");
  EXPECT_EQ(nearest("pin-memory", kNames), "pin_memory");
  EXPECT_EQ(nearest("sead", kNames), "seed");
  EXPECT_EQ(nearest("workers", kNames), "num_workers");
  EXPECT_EQ(nearest("prefetch", kNames), "prefetch_factor");
  EXPECT_EQ(nearest("xyzzy", kNames), "");
  EXPECT_EQ(nearest("", kNames), "");
  EXPECT_EQ(nearest(std::string(100'000, 'x'), kNames), "");
  EXPECT_EQ(did_you_mean("xyzzy", kNames), "");
  EXPECT_EQ(did_you_mean("sead", kNames), " (did you mean 'seed'?)");
  EXPECT_EQ(did_you_mean(""), "");
}

TEST(Join, LastSeparator_MayBeAnd) {
  EXPECT_EQ(join(std::vector<std::string>{}), "");
  EXPECT_EQ(join(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(join(std::vector<std::string_view>{"a", "b", "c"}), "a, b, c");
  EXPECT_EQ(join(std::vector<std::string>{"", "b"}, "; "), "; b");
  EXPECT_EQ(join(std::vector<int>{1, 2}, "-", [](int each) { return std::to_string(each); }),
            "1-2");
  const std::vector<std::string> words = {"10", "20", "40"};
  EXPECT_EQ(join_and({}), "");
  EXPECT_EQ(join_and(std::span(words).first(1)), "10");
  EXPECT_EQ(join_and(std::span(words).first(2)), "10 and 20");
  EXPECT_EQ(join_and(words), "10, 20 and 40");
}

TEST(Counted, Plural_IsKnown) {
  EXPECT_EQ(counted(1, "launch"), "1 launch");
  EXPECT_EQ(counted(0, "case"), "0 cases");
  EXPECT_EQ(counted(1024, "launch"), "1,024 launches");
  EXPECT_EQ(counted(3, "series"), "3 series");
  EXPECT_EQ(counted(4, "batch"), "4 batches");
  EXPECT_EQ(counted(2, "entry"), "2 entries");
  EXPECT_EQ(counted(2, "day"), "2 days");
  EXPECT_EQ(counted(2, "process"), "2 processes");
  EXPECT_EQ(counted(-1, "step"), "-1 steps");
}

TEST(Wrap, Lines_BreakAtBlanksAndHang) {
  EXPECT_EQ(wrap("one two three", 9, 2), "  one two\n  three\n");
  EXPECT_EQ(wrap("one  two\nthree", 80, 0), "one two three\n");
  EXPECT_EQ(wrap("averylongword x", 4, 1), " averylongword\n x\n");
  EXPECT_EQ(wrap("größer größer", 13, 0), "größer größer\n") << "cells, not bytes";
  EXPECT_EQ(wrap("", 4, 1), "");
  EXPECT_EQ(wrap_hanging("one two three", 8), "one two\n  three");
  EXPECT_EQ(wrap_hanging("one  two", 8), "one  two") << "a text that fits stays";
  EXPECT_EQ(wrap_hanging("    one two three", 11), "    one two\n  three");
}

TEST(ShellWord, SpecialWord_IsQuoted) {
  EXPECT_EQ(shell_word("a-b/c=1"), "a-b/c=1");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_word(""), "''");
}

const std::vector<std::string> kKnown = {"launches",           "data.kind",
                                         "model.kind",         "loader.num_workers",
                                         "loader.num_workers", "compare.margin.step"};

std::string why_not(std::string_view given, std::string_view unknown = "unknown option") {
  return test::error_of([&] { (void)resolve_name(given, kKnown, unknown); });
}

TEST(Names, FullOrTrailingName_Resolves) {
  EXPECT_EQ(resolve_name("launches", kKnown), "launches");
  EXPECT_EQ(resolve_name("loader.num_workers", kKnown), "loader.num_workers");
  EXPECT_EQ(resolve_name("num_workers", kKnown), "loader.num_workers");
  EXPECT_EQ(resolve_name("margin.step", kKnown), "compare.margin.step");
  EXPECT_EQ(resolve_name("step", kKnown), "compare.margin.step");
  const std::vector<std::string> names = {"loader.workload", "workload"};
  EXPECT_EQ(resolve_name("workload", names), "workload");
  EXPECT_TRUE(matching_names("workers", kKnown).empty());
}

TEST(Names, AmbiguousName_ListsTheCandidates) {
  EXPECT_EQ(why_not("kind"), "'kind' may be data.kind or model.kind; write one in full");
  EXPECT_EQ(why_not("lanches"), "unknown option 'lanches' (did you mean 'launches'?)");
  EXPECT_EQ(why_not("num_wrokers", "no column"),
            "no column 'num_wrokers' (did you mean 'loader.num_workers'?)");
  EXPECT_EQ(why_not("zebra"), "unknown option 'zebra'");
  const std::vector<std::string> heads = {"data wait", "num workers"};
  EXPECT_EQ(
      test::error_of([&] { (void)resolve_name("data wiat", kKnown, "unknown column", heads); }),
      "unknown column 'data wiat' (did you mean 'data wait'?)");
  EXPECT_EQ(why_not(""), "unknown option ''");
}

}  // namespace
}  // namespace stepbench::text
