// SPDX-License-Identifier: Apache-2.0
// `stepbench track add` on files of other programs, as a user types it.
#include <gmock/gmock.h>

#include "tests/temporary_folder.h"
#include "tests/unit/shell/program.h"

namespace stepbench::foreign {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kNights =
    "time,commit,workers,ms\n"
    "2026-01-01,a1,0,10\n2026-01-01,a1,0,10.5\n2026-01-01,a1,2,5\n"
    "2026-01-02,a2,0,10.2\n2026-01-02,a2,2,\n";

class TrackAddForeign : public ::testing::Test {
 protected:
  [[nodiscard]] os::CommandResult track(std::vector<std::string> words) const {
    words.insert(words.begin(), "track");
    words.insert(words.end(), {"--db", "sqlite:" + (folder / "history.db").string()});
    return testing::stepbench(words);
  }
  [[nodiscard]] os::CommandResult add(const std::string& text,
                                      std::vector<std::string> words = {}) const {
    const std::string file = folder / "nights.csv";
    std::ofstream(file) << text;
    words.insert(words.begin(), {"add", file});
    return track(words);
  }
  const std::vector<std::string> usual = {"--value-column", "ms",    "--case-column", "workers",
                                          "--unit",         "ms",    "--series",      "train",
                                          "--host",         "bench1"};
  test::TemporaryFolder folder;
};

TEST_F(TrackAddForeign, RowsOfATableAreLaunchesAndNights) {
  const os::CommandResult added = add(kNights, usual);
  ASSERT_EQ(added.exit_status, 0) << added.err;
  EXPECT_THAT(added.out, HasSubstr("5 launches added from 2 runs, 3 points"));
  EXPECT_THAT(added.out, HasSubstr("left out: 1 (without a value)"));
  const os::CommandResult exported = track({"export"});
  EXPECT_THAT(exported.out, HasSubstr("20260101-000000-train-a1,2026-01-01T00:00:00Z,bench1,,a1,"));
  EXPECT_THAT(exported.out, HasSubstr(",10250000,10250000,10250000,2,"));
  EXPECT_THAT(exported.out, HasSubstr(",workers=2,ms,ns,20260101-000000-train-a1,"));
}

TEST_F(TrackAddForeign, TheSameFileChangesNothingAndMoreRowsAreAdded) {
  ASSERT_EQ(add(kNights, usual).exit_status, 0);
  EXPECT_THAT(add(kNights, usual).out,
              HasSubstr("0 launches added from 2 runs, 0 points; 5 launches were there already"));
  const os::CommandResult more = add(std::string(kNights) + "2026-01-03,a3,0,10.1\n", usual);
  EXPECT_THAT(more.out, HasSubstr("1 launch added from 3 runs, 1 point; 5 launches were there"));
}

TEST_F(TrackAddForeign, WhatWasStoredBeforeAFailureIsTold) {
  const std::string bad = folder / "bad.csv";
  std::ofstream(bad) << "time,ms\n2026-01-01,fast\n";
  std::vector<std::string> words = usual;
  words.insert(words.begin(), bad);
  const os::CommandResult added = add(kNights, words);
  EXPECT_EQ(added.exit_status, 2);
  EXPECT_THAT(added.out, HasSubstr("5 launches added from 2 runs, 3 points"));
  EXPECT_THAT(added.err, HasSubstr("bad.csv"));
  EXPECT_THAT(added.err, HasSubstr("(what 2 runs before it brought is stored)"));
}

TEST_F(TrackAddForeign, AnotherValueOfAKnownRowIsToldAndNotTaken) {
  ASSERT_EQ(add(kNights, usual).exit_status, 0);
  std::string changed = kNights;
  changed.replace(changed.find("10.2"), 4, "99.9");
  const os::CommandResult again = add(changed, usual);
  EXPECT_THAT(again.err, HasSubstr("is known with other content: what is known was kept"));
  EXPECT_THAT(track({"export"}).out, Not(HasSubstr("99900000")));
}

TEST_F(TrackAddForeign, SeriesAreShownAndJudgedByTheirWords) {
  ASSERT_EQ(add(kNights, usual).exit_status, 0);
  const os::CommandResult shown = track({"show", "train", "workers=0"});
  EXPECT_EQ(shown.exit_status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("train workers=0, ms"));
  EXPECT_THAT(shown.out, HasSubstr("10.2 ms"));
  const os::CommandResult checked = track({"check", "--no-confirm", "--night", "20260102"});
  EXPECT_EQ(checked.exit_status, 4) << "a night in which a series has no value: " << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("1 warming-up"));
}

TEST_F(TrackAddForeign, WhatIsBetterDecidesWhatIsARegression) {
  std::string rows = "time,ops\n";
  for (int day = 10; day < 30; ++day) {
    rows += "2026-01-" + std::to_string(day) + ',' + (day < 29 ? "1000." : "800.") +
            std::to_string(day * 7 % 10) + '\n';
  }
  ASSERT_EQ(add(rows, {"--value-column", "ops", "--unit", "ops/s", "--host", "bench1"}).exit_status,
            0);
  const os::CommandResult checked = track({"check", "--no-confirm", "--night", "20260129"});
  EXPECT_EQ(checked.exit_status, 3) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("1 suspect"));
  EXPECT_THAT(checked.out, HasSubstr("worse"));
}

TEST_F(TrackAddForeign, CommitsOfOneDayStayInTheOrderOfTheFile) {
  ASSERT_EQ(add("date,commit,ms\n2026-01-01,z,1\n2026-01-01,a,2\n", {"--unit", "ms"}).exit_status,
            0);
  const std::string out = track({"export"}).out;
  EXPECT_LT(out.find("000000-nights-z"), out.find("000001-nights-a"));
  EXPECT_THAT(out, HasSubstr("2026-01-01T00:00:01Z"));
}

TEST_F(TrackAddForeign, MistakesAreSaidWithTheirLine) {
  const auto error = [&](const std::string& text, std::vector<std::string> words) {
    const os::CommandResult done = add(text, std::move(words));
    EXPECT_EQ(done.exit_status, 2) << done.out;
    return done.err;
  };
  EXPECT_THAT(error("time,ms\n2026-01-01,1\n2026-01-02,1.5q\n", {"--unit", "ms"}),
              HasSubstr("has no column of numbers"));
  EXPECT_THAT(
      error("time,ms\n2026-01-01,1\n2026-01-02,1.5q\n", {"--value-column", "ms", "--unit", "ms"}),
      HasSubstr("nights.csv:3: '1.5q' in column 'ms' is no number"));
  EXPECT_THAT(error("time,ms\nsoon,1\n", {"--unit", "ms"}),
              HasSubstr("nights.csv:2: 'soon' in column 'time' is no time"));
  EXPECT_THAT(error("ms\n1\n", {"--unit", "ms"}), HasSubstr("give --first-night DATE"));
  EXPECT_THAT(error("time,a,b\n2026-01-01,1,2\n", {"--unit", "ms"}),
              HasSubstr("say which of the columns of"));
  EXPECT_THAT(error("time,rows\n2026-01-01,1\n", {}), HasSubstr("--better: say whether 'rows'"));
}

TEST_F(TrackAddForeign, ColumnsWithUnusualNamesAreNamed) {
  const std::vector<std::string> words = {"--time-column",  "when", "--commit-column", "what",
                                          "--value-column", "ms",   "--unit",          "ms"};
  const os::CommandResult added = add("when,what,ms\n2026-01-01,abc1,1\n", words);
  ASSERT_EQ(added.exit_status, 0) << added.err;
  EXPECT_THAT(track({"export"}).out, HasSubstr("20260101-000000-nights-abc1,2026-01-01T00:00:00Z"));
  std::vector<std::string> wrong = words;
  wrong[1] = "wen";
  EXPECT_THAT(add("when,what,ms\n2026-01-01,abc1,1\n", wrong).err, HasSubstr("--time-column: "));
}

TEST_F(TrackAddForeign, ATableWithoutTimesHasANightARow) {
  ASSERT_EQ(add("ms\n1\n2\n", {"--unit", "ms", "--first-night", "2026-02-28"}).exit_status, 0);
  EXPECT_THAT(track({"export"}).out, HasSubstr("2026-03-01T00:00:00Z"));
}

TEST_F(TrackAddForeign, OptionsOfTablesAreRefusedForRunsOfStepbench) {
  std::filesystem::create_directories(folder / "run");
  const os::CommandResult done = track({"add", folder / "run/run.jsonl", "--unit", "ms"});
  EXPECT_EQ(done.exit_status, 2);
  EXPECT_THAT(done.err, HasSubstr("say how to read files of other programs"));
}

}  // namespace
}  // namespace stepbench::foreign
