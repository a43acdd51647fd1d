// SPDX-License-Identifier: Apache-2.0
// `stepbench track add` and `track screen` on files of other programs, as a user types it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/temporary_folder.h"
#include "tests/unit/shell/program.h"
#include "tests/unit/stats/noise.h"

namespace stepbench::foreign {
namespace {

using ::testing::Contains;
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
    folder.write("nights.csv", text);
    words.insert(words.begin(), {"add", folder / "nights.csv"});
    return track(words);
  }
  const std::vector<std::string> usual = {"--value-column", "ms",    "--case-column", "workers",
                                          "--unit",         "ms",    "--series",      "train",
                                          "--host",         "bench1"};
  test::TemporaryFolder folder;
};

TEST_F(TrackAddForeign, RowsOfATable_AreLaunchesAndNightsOnce) {
  const os::CommandResult added = add(kNights, usual);
  EXPECT_THAT(added.out, HasSubstr("5 launches added from 2 runs, 3 points")) << added.err;
  EXPECT_THAT(added.out, HasSubstr("left out: 1 (without a value)"));
  const std::string exported = track({"export"}).out;
  EXPECT_THAT(exported, HasSubstr("20260101-000000-train-a1,2026-01-01T00:00:00Z,bench1,,a1,"));
  EXPECT_THAT(exported, HasSubstr(",10250000,10250000,10250000,2,"));
  EXPECT_THAT(exported, HasSubstr(",workers=2,ms,ns,20260101-000000-train-a1,"));
  EXPECT_THAT(add(std::string(kNights) + "2026-01-03,a3,0,10.1\n", usual).out,
              HasSubstr("1 launch added from 3 runs, 1 point; 5 launches were there"));
  std::string changed = kNights;
  changed.replace(changed.find("10.2"), 4, "99.9");
  EXPECT_THAT(add(changed, usual).err,
              HasSubstr("is known with other content: what is known was kept"));
  EXPECT_THAT(track({"export"}).out, Not(HasSubstr("99900000")));
  const os::CommandResult shown = track({"show", "train", "workers=0"});
  EXPECT_THAT(shown.out, HasSubstr("train workers=0, ms")) << shown.err;
  EXPECT_EQ(track({"check", "--no-confirm", "--night", "20260102"}).exit_status, 4)
      << "a night in which a series has no value";
}

TEST_F(TrackAddForeign, WhatWasStoredBeforeAFailureIsTold) {
  folder.write("bad.csv", "time,ms\n2026-01-01,fast\n");
  std::vector<std::string> words = usual;
  words.insert(words.begin(), folder / "bad.csv");
  const os::CommandResult added = add(kNights, words);
  EXPECT_EQ(added.exit_status, 2);
  EXPECT_THAT(added.out, HasSubstr("5 launches added from 2 runs, 3 points"));
  EXPECT_THAT(added.err, HasSubstr("(what 2 runs before it brought is stored)"));
}

TEST_F(TrackAddForeign, WhatIsBetterDecidesWhatIsARegression) {
  std::string rows = "time,ops\n";
  for (int day = 10; day < 30; ++day) {
    rows += "2026-01-" + std::to_string(day) + ',' + (day < 29 ? "1000." : "800.") +
            std::to_string(day * 7 % 10) + '\n';
  }
  (void)add(rows, {"--value-column", "ops", "--unit", "ops/s", "--host", "bench1"});
  const os::CommandResult checked = track({"check", "--no-confirm", "--night", "20260129"});
  EXPECT_EQ(checked.exit_status, 3) << checked.out;
  EXPECT_THAT(checked.out, HasSubstr("worse"));
}

TEST_F(TrackAddForeign, TimesOfRows_MayBeMissingOrTheSame) {
  (void)add("when,what,ms\n2026-01-01,z,1\n2026-01-01,a,2\n",
            {"--unit", "ms", "--time-column", "when", "--commit-column", "what"});
  const std::string out = track({"export"}).out;
  EXPECT_LT(out.find("000000-nights-z"), out.find("000001-nights-a")) << "as in the file";
  (void)add("ms\n1\n2\n", {"--unit", "ms", "--first-night", "2026-02-28"});
  EXPECT_THAT(track({"export"}).out, HasSubstr("2026-03-01T00:00:00Z"));
}

TEST_F(TrackAddForeign, Mistakes_AreSaidWithTheirLine) {
  struct Row {
    const char* text;
    std::vector<std::string> words;
    const char* why;
  };
  for (const Row& row : std::vector<Row>{
           {"time,ms\n2026-01-01,1\n2026-01-02,1.5q\n", {"--unit", "ms"}, "no column of numbers"},
           {"time,ms\n2026-01-01,1\n2026-01-02,1.5q\n",
            {"--value-column", "ms", "--unit", "ms"},
            "nights.csv:3: '1.5q' in column 'ms' is no number"},
           {"time,ms\nsoon,1\n", {"--unit", "ms"}, "nights.csv:2: 'soon' in column 'time' is no "},
           {"ms\n1\n", {"--unit", "ms"}, "give --first-night DATE"},
           {"time,a,b\n2026-01-01,1,2\n", {"--unit", "ms"}, "say which of the columns of"},
           {"time,ms\n2026-01-01,1\n", {"--time-column", "tmie"}, "--time-column: "},
           {"time,rows\n2026-01-01,1\n", {}, "--better: say whether 'rows'"}}) {
    const os::CommandResult done = add(row.text, row.words);
    EXPECT_EQ(done.exit_status, 2) << done.out;
    EXPECT_THAT(done.err, HasSubstr(row.why));
  }
  const os::CommandResult run = track({"add", folder / "run.jsonl", "--unit", "ms"});
  EXPECT_THAT(run.err, HasSubstr("say how to read files of other programs"));
}

TEST_F(TrackAddForeign, APlantedStep_IsFoundByScreen) {
  testing_noise::Noise noise(3);
  std::string rows = "ms\n";
  for (int i = 0; i < 60; ++i) {
    rows += std::to_string((i < 40 ? 1000 : 1050) * (1 + 0.004 * noise.normal())) + '\n';
  }
  folder.write("nights.csv", rows);
  const os::CommandResult page = testing::stepbench({"track", "screen", folder / "nights.csv"});
  EXPECT_THAT(page.out, HasSubstr("2000-02-10"));
  EXPECT_THAT(page.err, HasSubstr("has no times: its rows are counted as a night each"));
  const os::CommandResult done =
      testing::stepbench({"track", "screen", folder / "nights.csv", "--format", "json"});
  const auto series = nlohmann::json::parse(done.out).at("series").at(0);
  ASSERT_EQ(series.at("changes").size(), 1U);
  EXPECT_EQ(series.at("changes")[0].at("index"), 40);
  EXPECT_THAT(series.at("fired").get<std::vector<std::size_t>>(), Contains(40u));
  EXPECT_THAT(testing::stepbench({"track", "screen", folder / "none.csv"}).err,
              HasSubstr("cannot be read"));
}

}  // namespace
}  // namespace stepbench::foreign
