// SPDX-License-Identifier: Apache-2.0
// Small texts: output of workers, command lines, progress.
#include "harness/base/error.h"
#include "harness/run/internal/worker_output.h"
#include "harness/run/launch.h"
#include "harness/run/terminal.h"
#include "harness/text/printable.h"
#include "tests/scripted_clock.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

TEST(Output, LongOutput_KeepsBothEnds) {
  OutputTail output{4};
  for (const char c : std::string{"abcdefghijklmnopqrst"}) output.append({&c, 1});
  EXPECT_EQ(output.text(), "abcd\n[12 bytes left out]\nqrst");
  EXPECT_EQ(output.total_bytes(), 20U);
  OutputTail small{4};
  small.append("abcdefgh");
  EXPECT_EQ(small.text(), "abcdefgh");
  OutputTail large{4};
  large.append(std::string(1000, 'x') + "end.");
  EXPECT_EQ(large.text(), "xxxx\n[996 bytes left out]\nend.");
}

TEST(Output, LastWords_AreTheLastLine) {
  EXPECT_EQ(last_words("one\ntwo\n\n"), ": two");
  EXPECT_EQ(last_words(" \n"), "");
  EXPECT_EQ(last_words("----------\n----------\n"), ": ----------") << "it said no more";
  EXPECT_EQ(last_words(std::string(1000, 'x')).size(), 302U);
}

// As in Open MPI.
TEST(Output, RuledParagraph_IsTheLastWords) {
  const std::string rule = std::string(74, '-') + '\n';
  EXPECT_EQ(last_words("warning: slow\n" + rule +
                       "There are not enough slots available in the system to satisfy\nthe 9 slots "
                       "that were requested:\n\n  stepbench\n\nEither request fewer\n" +
                       rule),
            ": There are not enough slots available in the system to satisfy the 9 slots that were "
            "requested");
  EXPECT_EQ(last_words("mpirun gave up\n" + rule), ": mpirun gave up");
}

TEST(Wrap, Command_SplitsAsInAShell) {
  EXPECT_THAT(split_command("nsys  profile -o '{run_dir}/a b' \"c\\\"d\" e\\ f ''", "--wrap"),
              ElementsAre("nsys", "profile", "-o", "{run_dir}/a b", "c\"d", "e f", ""));
  EXPECT_THROW(static_cast<void>(split_command("a 'b", "--wrap")), ConfigError);
}

TEST(Wrap, KnownNames_AreFilledIn) {
  EXPECT_THAT(fill_in({"{a}/{b}.txt"}, {{"a", "1"}, {"b", "2"}}, "--wrap"), ElementsAre("1/2.txt"));
  EXPECT_THROW(static_cast<void>(fill_in({"{c}"}, {{"a", "1"}}, "--wrap")), ConfigError);
}

TEST(Wrap, NsysEndingTheWorker_IsWarnedAbout) {
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

class ProgressTest : public ::testing::Test {
 protected:
  Progress& begin(ProgressStyle style) {
    style.columns = [this] { return columns_; };
    progress_.emplace(out_, style, clock_);
    return *progress_;
  }
  // The text of the last update over the live line.
  [[nodiscard]] std::string live_line() {
    out_.str("");
    progress_->update("active", 0);
    const std::string line = out_.str();
    return line.substr(line.rfind("\033[K") + 3);
  }
  ScriptedClock clock_{0};
  std::ostringstream out_;
  int columns_ = 60;
  std::optional<Progress> progress_;
};

TEST_F(ProgressTest, NoTerminal_PrintsALinePerLaunch) {
  Progress& progress = begin({});
  progress.begin_launch(2, 5, "num_workers=4", 1, 3);
  progress.update("active", 5'000'000);
  clock_.set(10'000'000'000);
  progress.end_launch(measured(10'000'000'000), 12.34e6);
  EXPECT_EQ(out_.str(),
            "case 2 of 5, launch 1: num_workers=4  step 12.3 ms  (0:10, about 0:30 left)\n");
}

TEST_F(ProgressTest, Terminal_KeepsOneLiveLine) {
  Progress& progress = begin({.terminal = true});
  progress.begin_launch(1, 8, "first", 1, 7);
  progress.end_launch(measured(90'000'000'000), 12.3e6);
  progress.begin_launch(2, 8, "loader.num_workers=16 loader.batch_size=128", 1, 6);
  EXPECT_THAT(out_.str(), Not(HasSubstr("\n")));
  columns_ = 120;
  EXPECT_EQ(live_line(),
            "about 10:30 left, case 2 of 8, launch 1: loader.num_workers=16 loader.batch_size=128  "
            "[active]  0:00, last step 12.3 ms");
  columns_ = 80;
  EXPECT_EQ(live_line(),
            "about 10:30 left, case 2 of 8, launch 1: loade…r.batch_size=128  [active]  0:00");
  columns_ = 36;
  EXPECT_EQ(live_line(), "about 10:30 left, case 2 of 8, lau…")
      << "the time that is left is never cut";
}

TEST_F(ProgressTest, CaseWithoutOptions_FitsTheLine) {
  begin({.terminal = true}).begin_launch(1, 1, "", 1, 1);
  columns_ = 40;
  out_.str("");
  progress_->update("active", 89'300);
  EXPECT_LE(text::width(out_.str()), std::size_t{40 + 3});
}

TEST_F(ProgressTest, Failure_PrintsAtOnce) {
  Progress& progress = begin({.terminal = true});
  progress.begin_launch(1, 1, "", 1, 0);
  record::LaunchRow row;
  row.outcome = Outcome::failed("boom\nmore");
  row.stage = "active";
  progress.end_launch(row, std::nullopt);
  EXPECT_THAT(out_.str(), HasSubstr("FAILED: boom, in active"));
}

TEST_F(ProgressTest, Quiet_PrintsNothing) {
  Progress& progress = begin({.quiet = true, .terminal = true});
  progress.print_line("hello");
  progress.begin_launch(1, 1, "", 1, 0);
  progress.end_launch(measured(1), 1e6);
  progress.end();
  EXPECT_EQ(out_.str(), "");
}

}  // namespace
}  // namespace stepbench::run
