// SPDX-License-Identifier: Apache-2.0
// Small texts: output of workers, command lines, progress.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "harness/base/error.h"
#include "harness/run/output.h"
#include "harness/run/progress.h"
#include "harness/run/wrap.h"
#include "harness/text/utf8.h"
#include "tests/scripted_clock.h"

namespace stepbench::run {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Output, KeepsTheBeginningAndTheEnd) {
  OutputTail output{4};
  for (const char c : std::string{"abcdefghijklmnopqrst"}) output.append({&c, 1});
  EXPECT_EQ(output.text(), "abcd\n[12 bytes left out]\nqrst");
  EXPECT_EQ(output.total_bytes(), 20U);
}

TEST(Output, KeepsShortOutputWhole) {
  OutputTail output{4};
  output.append("abcdefgh");
  EXPECT_EQ(output.text(), "abcdefgh");
}

TEST(Output, TakesOneLargePiece) {
  OutputTail output{4};
  output.append(std::string(1000, 'x') + "end.");
  EXPECT_EQ(output.text(), "xxxx\n[996 bytes left out]\nend.");
}

TEST(Output, EndsWithItsLastLine) {
  EXPECT_EQ(last_words("one\ntwo\n\n"), ": two");
  EXPECT_EQ(last_words(" \n"), "");
  EXPECT_EQ(last_words("----------\n----------\n"), ": ----------") << "it said no more";
  EXPECT_EQ(last_words(std::string(1000, 'x')).size(), 302U);
}

// Open MPI does.
TEST(Output, EndsWithTheFirstParagraphBetweenTwoRules) {
  const std::string rule = std::string(74, '-') + '\n';
  EXPECT_EQ(last_words("warning: slow\n" + rule +
                       "There are not enough slots available in the system to satisfy\nthe 9 slots "
                       "that were requested:\n\n  stepbench\n\nEither request fewer\n" +
                       rule),
            ": There are not enough slots available in the system to satisfy the 9 slots that were "
            "requested");
  EXPECT_EQ(last_words("mpirun gave up\n" + rule), ": mpirun gave up");
}

TEST(Wrap, SplitsAsAShellWould) {
  EXPECT_THAT(split_command("nsys  profile -o '{run_dir}/a b' \"c\\\"d\" e\\ f ''", "--wrap"),
              ElementsAre("nsys", "profile", "-o", "{run_dir}/a b", "c\"d", "e f", ""));
  EXPECT_THROW(static_cast<void>(split_command("a 'b", "--wrap")), ConfigError);
}

TEST(Wrap, FillsInKnownNamesAndRefusesOthers) {
  EXPECT_THAT(fill_in({"{a}/{b}.txt"}, {{"a", "1"}, {"b", "2"}}, "--wrap"), ElementsAre("1/2.txt"));
  EXPECT_THROW(static_cast<void>(fill_in({"{c}"}, {{"a", "1"}}, "--wrap")), ConfigError);
}

TEST(Wrap, NsysThatWouldEndTheWorkerIsWarnedOf) {
  const auto warning = [](std::string_view line) {
    return wrap_warning(split_command(line, "--wrap")).value_or("");
  };
  for (const char* line : {"nsys profile --capture-range=cudaProfilerApi -o x",
                           "/opt/nsight/bin/nsys profile -c cudaProfilerApi"}) {
    EXPECT_THAT(warning(line), HasSubstr("add --capture-range-end=stop (repeat:N ")) << line;
  }
  for (const char* line :
       {"nsys profile -o x",
        "nsys profile --capture-range=cudaProfilerApi --capture-range-end=stop",
        "nsys profile --capture-range=nvtx", "ncu --capture-range=cudaProfilerApi"}) {
    EXPECT_EQ(warning(line), "") << line;
  }
}

record::LaunchRow measured(std::int64_t wall_ns) {
  record::LaunchRow row;
  row.wall_ns = wall_ns;
  return row;
}

TEST(Progress, SaysOnePlainLinePerLaunchWhenNotOnATerminal) {
  ScriptedClock clock(0);
  std::ostringstream out;
  Progress progress{out, {}, clock};
  progress.begin_launch(2, 5, "num_workers=4", 1, 3);
  progress.update("active", 5'000'000);
  clock.set(10'000'000'000);
  progress.end_launch(measured(10'000'000'000), 12.34e6);
  EXPECT_EQ(out.str(),
            "case 2 of 5, launch 1: num_workers=4  step 12.3 ms  (0:10, about 0:30 left)\n");
}

TEST(Progress, KeepsOneLiveLineOnATerminal) {
  ScriptedClock clock(0);
  std::ostringstream out;
  Progress progress{out, {.terminal = true, .columns = [] { return 60; }}, clock};
  progress.begin_launch(1, 2, std::string(100, 'x'), 1, 1);
  progress.end_launch(measured(1), 1e6);
  progress.end();
  EXPECT_THAT(out.str(), Not(HasSubstr("\n")));
  EXPECT_LT(out.str().size(), 80U) << "cut to the terminal's width";
}

// What stands on a terminal of this width during the second launch of eight.
std::string live_line(const int& columns) {
  ScriptedClock clock(0);
  std::ostringstream out;
  Progress progress{out, {.terminal = true, .columns = [&] { return columns; }}, clock};
  progress.begin_launch(1, 8, "first", 1, 7);
  progress.end_launch(measured(90'000'000'000), 12.3e6);
  progress.begin_launch(2, 8, "loader.num_workers=16 loader.batch_size=128", 1, 6);
  out.str("");
  progress.update("active", 0);
  std::string line = out.str();
  return line.substr(line.rfind("\033[K") + 3);
}

TEST(Progress, TheTimeThatIsLeftComesFirstAndIsNeverCut) {
  EXPECT_EQ(live_line(120),
            "about 10:30 left, case 2 of 8, launch 1: loader.num_workers=16 loader.batch_size=128  "
            "[active]  0:00, last step 12.3 ms");
  EXPECT_EQ(live_line(80),
            "about 10:30 left, case 2 of 8, launch 1: loade…r.batch_size=128  [active]  0:00");
  EXPECT_EQ(live_line(60), "about 10:30 left, case 2 of 8, launch 1: load…atch_size=128");
  EXPECT_EQ(live_line(36), "about 10:30 left, case 2 of 8, lau…");
}

TEST(Progress, ATerminalThatIsResizedIsAskedAgain) {
  ScriptedClock clock(0);
  std::ostringstream out;
  int columns = 200;
  Progress progress{out, {.terminal = true, .columns = [&] { return columns; }}, clock};
  progress.begin_launch(1, 2, std::string(100, 'x'), 1, 1);
  EXPECT_THAT(out.str(), HasSubstr(std::string(100, 'x')));
  columns = 60;
  out.str("");
  progress.update("active", 0);
  EXPECT_LE(text::width(out.str()), std::size_t{60 + 3});
}

TEST(Progress, ACaseWithoutOptionsToNameKeepsWithinTheLineToo) {
  ScriptedClock clock(0);
  std::ostringstream out;
  Progress progress{out, {.terminal = true, .columns = [] { return 40; }}, clock};
  progress.begin_launch(1, 1, "", 1, 1);
  out.str("");
  progress.update("active", 89'300);
  EXPECT_LE(text::width(out.str()), std::size_t{40 + 3});
}

TEST(Progress, SaysFailuresAtOnceEvenOnATerminal) {
  ScriptedClock clock(0);
  std::ostringstream out;
  Progress progress{out, {.terminal = true}, clock};
  progress.begin_launch(1, 1, "", 1, 0);
  record::LaunchRow row;
  row.outcome = Outcome::failed("boom\nmore");
  row.stage = "active";
  progress.end_launch(row, std::nullopt);
  EXPECT_THAT(out.str(), HasSubstr("FAILED: boom, in active"));
}

TEST(Progress, IsSilentWhenQuiet) {
  ScriptedClock clock(0);
  std::ostringstream out;
  Progress progress{out, {.quiet = true, .terminal = true}, clock};
  progress.say("hello");
  progress.begin_launch(1, 1, "", 1, 0);
  progress.end_launch(measured(1), 1e6);
  progress.end();
  EXPECT_EQ(out.str(), "");
}

}  // namespace
}  // namespace stepbench::run
