// SPDX-License-Identifier: Apache-2.0
// `stepbench track check|show|acknowledge|ignore|baseline` as a user meets them, on one night.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::HasSubstr;
using testing::stepbench;

class TrackCommands : public ::testing::Test {
 protected:
  [[nodiscard]] os::CommandResult track(std::vector<std::string> words) const {
    words.insert(words.begin(), "track");
    words.insert(words.end(), {"--db", db()});
    return stepbench(words);
  }
  void add_sample() const {
    const os::CommandResult added =
        track({"add", std::string(STEPBENCH_SOURCE_DIR) + "/results/sample"});
    ASSERT_EQ(added.exit_status, 0) << added.err;
  }
  [[nodiscard]] std::string db() const { return "sqlite:" + (own_ / "history.db").string(); }

  test::TemporaryFolder own_;
};

void expect_refused(const os::CommandResult& result, const std::string& why) {
  EXPECT_EQ(result.exit_status, 2) << result.out;
  EXPECT_THAT(result.err, HasSubstr(why));
}

TEST_F(TrackCommands, RefuseAHistoryThatIsNotThere) {
  for (const char* command : {"check", "show"}) {
    EXPECT_EQ(track({command}).exit_status, 2) << command;
    EXPECT_FALSE(std::filesystem::exists(own_ / "history.db")) << "none is made";
  }
}

TEST_F(TrackCommands, JudgeAFirstNightAsWarmingUp) {
  add_sample();
  const std::string verdict = (own_ / "night.json").string();
  const os::CommandResult night =
      track({"check", "--night", "20261122", "--no-confirm", "--verdict", verdict});
  EXPECT_EQ(night.exit_status, 0) << night.err;
  EXPECT_THAT(night.out, HasSubstr("6 series: 6 warming-up (0 of 10 earlier nights)"));
  std::ostringstream written;
  written << std::ifstream(verdict).rdbuf();
  EXPECT_THAT(written.str(), HasSubstr(R"("exit_code":0,"verdict":"warming-up")"));
  EXPECT_EQ(track({"check", "--night", "20261122", "--allow-inconclusive"}).exit_status, 0);
  expect_refused(track({"check", "--night", "2025", "--verdict", verdict}),
                 "--night: the history has no run '2025'");
  written.str("");
  written << std::ifstream(verdict).rdbuf();
  EXPECT_THAT(written.str(), HasSubstr(R"("exit_code":2,"verdict":"error")"));
  expect_refused(track({"check", "--screen", "robust"}), "did you mean 'robust_z'?");
  expect_refused(track({"check", "--confirmations", "3"}), "a whole number from 1 to 2");
}

TEST_F(TrackCommands, ShowASeriesOfOnePoint) {
  add_sample();
  const os::CommandResult shown = track({"show", "num_workers=1"});
  EXPECT_EQ(shown.exit_status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("quickstart num_workers=1, step"));
  EXPECT_THAT(shown.out, HasSubstr("56.1 ms"));
  expect_refused(track({"show", "quickstart"}), "'quickstart' may be 3 series");
  expect_refused(track({"show", "num_worker=1"}), "did you mean 'num_workers=1'?");
  expect_refused(track({"show", "A3"}), "ALERT: there is no alert in this history");
  EXPECT_EQ(track({"show", "--open"}).out, "no alert is open\n");
}

TEST_F(TrackCommands, RefuseWordsThatSayNothing) {
  add_sample();
  expect_refused(track({"acknowledge", "A1", "--reason", "x"}), "there is no alert");
  expect_refused(track({"ignore", "num_workers=1"}), "--reason: is empty");
  expect_refused(track({"ignore", "num_workers=1", "--reason", "x", "--until", "2020-01-01"}),
                 "2020-01-01 has passed");
  expect_refused(track({"baseline", "set", "nothing", "--reason", "x"}), "no run 'nothing'");
  expect_refused(track({"baseline", "update", "20261122", "--reason", "x"}), "no baseline yet");
}

TEST_F(TrackCommands, ADateMayBeSaidByHowFarItIsFromToday) {
  add_sample();
  const auto until = [&](const char* text) {
    return track({"ignore", "num_workers=1", "--reason", "disk", "--until", text});
  };
  const os::CommandResult ignored = until("2w");
  EXPECT_EQ(ignored.exit_status, 0) << ignored.err;
  EXPECT_THAT(ignored.out, ::testing::ContainsRegex("is ignored until 20[0-9-]+\n"));
  expect_refused(until("soon"), "expected a date as 2026-01-31, or how long from today as 2w");
}

TEST_F(TrackCommands, IgnoreASeriesAndSetABaseline) {
  add_sample();
  const os::CommandResult ignored = track({"ignore", "num_workers=1", "--reason", "disk"});
  EXPECT_EQ(ignored.exit_status, 0) << ignored.err;
  EXPECT_THAT(ignored.out, HasSubstr("quickstart num_workers=1, step ("));
  EXPECT_THAT(track({"check", "--night", "20261122"}).out,
              HasSubstr("5 warming-up (0 of 10 earlier nights), 1 ignored"));
  EXPECT_EQ(track({"ignore", "num_workers=1", "--end", "--reason", "new"}).exit_status, 0);
  const os::CommandResult baseline = track({"baseline", "set", "20261122", "--reason", "release"});
  EXPECT_EQ(baseline.exit_status, 0) << baseline.err;
  EXPECT_THAT(baseline.out, HasSubstr("the usual begins with 20261122-031557-quickstart"));
}

}  // namespace
}  // namespace stepbench
