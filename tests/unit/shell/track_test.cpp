// SPDX-License-Identifier: Apache-2.0
// `stepbench track` as it is typed: what comes out, and with which exit status.
#include <gmock/gmock.h>

#include <filesystem>
#include <utility>

#include "harness/os/text_file.h"
#include "tests/temporary_folder.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::stepbench;

class TrackCommand : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return folder / "history.db"; }
  [[nodiscard]] os::CommandResult track(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "track");
    arguments.insert(arguments.end(), {"--db", "sqlite:" + file()});
    return stepbench(arguments);
  }
  const std::string sample = std::string(STEPBENCH_SOURCE_DIR) + "/results/sample";
  test::TemporaryFolder folder;
};

TEST_F(TrackCommand, TheSampleIsAddedListedAndExported) {
  const os::CommandResult added = track({"add", sample});
  EXPECT_EQ(added.exit_status, 0) << added.err;
  EXPECT_THAT(added.out, HasSubstr("9 launches added from 1 run, 27 points"));
  EXPECT_THAT(track({"add", sample}).out, HasSubstr("9 launches were there already"));
  const os::CommandResult list = track({"list"});
  EXPECT_EQ(list.exit_status, 0);
  EXPECT_THAT(list.out, HasSubstr("num_workers=2"));
  EXPECT_THAT(track({"export"}).out, HasSubstr("\n58ea5455014abe8f,quickstart,train_step,"));
  EXPECT_THAT(track({"export", "--format", "json"}).out, HasSubstr("stepbench.history"));
  const os::CommandResult split = track({"why-split", "58ea54", "4d8143"});
  EXPECT_EQ(split.exit_status, 0) << split.err;
  EXPECT_THAT(split.out, HasSubstr("loader.num_workers"));
  EXPECT_THAT(split.out,
              HasSubstr("two series, because they differ in loader.engine, loader.num_workers\n"));
  EXPECT_THAT(track({"why-split", "58ea54"}).out, HasSubstr("one segment"));
  const std::string one = "quickstart num_workers=0";
  const std::string other = "quickstart num_workers=2";
  EXPECT_THAT(track({"why-split", one, other}).out, HasSubstr("loader.num_workers"));
  const os::CommandResult memory = track({"why-split", one, other, "--metric", "peak_bytes"});
  EXPECT_EQ(memory.exit_status, 0) << memory.err;
  EXPECT_THAT(memory.out, AllOf(HasSubstr("loader.num_workers"), Not(HasSubstr("58ea54"))));
  const os::CommandResult none = track({"why-split", one, "quickstart num_workers=77"});
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_THAT(none.err, HasSubstr("no series fits 'num_workers=77'"));
}

TEST_F(TrackCommand, AnEmptyFolderAddsNothingAndExitsWith4) {
  std::filesystem::create_directory(folder / "results");
  const os::CommandResult result = track({"add", folder / "results"});
  EXPECT_EQ(result.exit_status, 4);
  EXPECT_THAT(result.err, HasSubstr("no result files are there"));
  EXPECT_FALSE(std::filesystem::exists(file()));
}

TEST_F(TrackCommand, WhatIsNoResultExitsWith2) {
  folder.write("notes.jsonl", "these are notes\n");
  const os::CommandResult result = track({"add", folder / "notes.jsonl"});
  EXPECT_EQ(result.exit_status, 2);
  EXPECT_THAT(result.err, HasSubstr("notes.jsonl:1"));
  EXPECT_EQ(track({"add", folder / "nowhere"}).exit_status, 2);
}

TEST_F(TrackCommand, AHistoryThatIsNotThereAndAFileThatIsNoneExitWith2) {
  EXPECT_EQ(track({"list"}).exit_status, 2);
  EXPECT_THAT(track({"list"}).err, HasSubstr("there is no history yet"));
  folder.write("history.db", std::string(4096, 'x'));
  EXPECT_EQ(track({"list"}).exit_status, 2);
  EXPECT_THAT(track({"list"}).err, HasSubstr("is no database of SQLite"));
  const os::CommandResult url = stepbench({"track", "list", "--db", "history.db"});
  EXPECT_EQ(url.exit_status, 2);
  EXPECT_THAT(url.err, HasSubstr("sqlite:FILE and postgresql://"));
  EXPECT_THAT(url.out, IsEmpty());
}

TEST_F(TrackCommand, ASeriesThatIsNotThereOrIsSeveralIsToldWithTheWayToTheList) {
  (void)track({"add", sample});
  const os::CommandResult none = track({"why-split", "zzzz"});
  EXPECT_EQ(none.exit_status, 2);
  EXPECT_THAT(none.err, HasSubstr("no series fits 'zzzz'; `stepbench track list` lists them"));
  EXPECT_THAT(track({"why-split", "quickstart"}).err, HasSubstr("may be 3 series"));
}

// The sample a week later, its case without workers under another id.
std::string sample_under_another_id(const std::string& folder) {
  std::string text;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() == ".jsonl") text = os::read_text(file.path()).value();
  }
  for (const auto& [before, after] :
       {std::pair{"f672f0ea6306a318", "f00dfeedf00dfeed"}, std::pair{"20261122-", "20261129-"},
        std::pair{"2026-11-22T", "2026-11-29T"}}) {
    const std::string from = before;
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at)) {
      text.replace(at, from.size(), after);
    }
  }
  return text;
}

TEST_F(TrackCommand, HistoriesOfOneCaseAreJoinedAfterALookAtWhatWouldBe) {
  folder.write("later/run.jsonl", sample_under_another_id(sample));
  (void)track({"add", sample});
  (void)track({"add", folder / "later"});
  EXPECT_EQ(track({"why-split", "quickstart", "num_workers=0"}).exit_status, 2) << "two series";
  EXPECT_THAT(track({"merge"}).out, HasSubstr("no case of this history has another id since"));
  const os::CommandResult planned = track({"merge", "f00d", "f672f0", "--dry-run"});
  EXPECT_EQ(planned.exit_status, 0) << planned.err;
  EXPECT_THAT(planned.out,
              HasSubstr("case f00dfeed (1 night, 2026-11-29) goes into case f672f0ea (1 night, "
                        "2026-11-22)"));
  EXPECT_THAT(planned.out, HasSubstr("nothing was changed"));
  EXPECT_EQ(track({"why-split", "quickstart", "num_workers=0"}).exit_status, 2);
  EXPECT_THAT(track({"merge", "f00d", "f672f0", "--reason", "one case"}).out, HasSubstr("joined"));
  EXPECT_THAT(track({"why-split", "quickstart", "num_workers=0"}).out, HasSubstr("one segment"));

  const os::CommandResult twice = track({"merge", "f00d", "f672f0"});
  EXPECT_EQ(twice.exit_status, 2);
  EXPECT_THAT(twice.err, HasSubstr("no series and no case of this history begins with 'f00d'"));
  const os::CommandResult two = track({"merge", "f672f0", "393d3a"});
  EXPECT_EQ(two.exit_status, 2);
  EXPECT_THAT(two.err, HasSubstr("were both measured in run 20261122-"));
  EXPECT_THAT(track({"merge", "f672f0"}).err, HasSubstr("name the case that it is one with"));
}

TEST_F(TrackCommand, ASeriesIsMeantByItsWordsOrByTwoIds) {
  (void)track({"add", sample});
  const os::CommandResult words = track({"why-split", "quickstart", "num_workers=1"});
  EXPECT_EQ(words.exit_status, 0) << words.err;
  EXPECT_THAT(words.out, HasSubstr("one segment"));
  const os::CommandResult two = track({"why-split", "4d8143", "2978e1"});
  EXPECT_EQ(two.exit_status, 0) << two.err;
  EXPECT_THAT(two.out, HasSubstr("two series, because they differ in"));
  EXPECT_THAT(two.out, HasSubstr("num_workers"));
}

}  // namespace
}  // namespace stepbench
