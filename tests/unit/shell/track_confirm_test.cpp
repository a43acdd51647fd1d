// SPDX-License-Identifier: Apache-2.0
// `stepbench track confirm` as a user meets it: two nights of the stub worker, the second slower.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/temporary_folder.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::stepbench;
namespace fs = std::filesystem;

class TrackConfirm : public ::testing::Test {
 protected:
  TrackConfirm() {
    own_.write("night.yaml",
               "name: night\nworkload: stub\nlaunches: 3\n"
               "schedule: {wait: 0, warmup: 1, active: 5}\nstub: {jitter: 0.01}\n");
    // A night from a checkout with changes is never the last good one: this one is none.
    fs::current_path(own_.path());
  }
  ~TrackConfirm() override { fs::current_path(before_); }

  // The stub worker, so many times as slow.
  [[nodiscard]] std::string build(const std::string& slower) const {
    const std::string file = "build-" + slower + "/worker";
    own_.write(
        file, "#!/bin/sh\nSTUB_SLOWER=" + slower + " exec " + testing::stub_worker() + " \"$@\"\n");
    fs::permissions(own_ / file, fs::perms::owner_all);
    return path(file);
  }
  void add_night(const std::string& worker) const {
    const os::CommandResult run =
        stepbench({"run", path("night.yaml"), "--worker", worker, "--results", path("results"),
                   "--no-lock", "--no-progress"});
    ASSERT_EQ(run.exit_status, 0) << run.err;
    ASSERT_EQ(run.err, "") << "--no-progress is quiet";
    const os::CommandResult added = stepbench({"track", "add", path("results"), "--db", db()});
    ASSERT_EQ(added.exit_status, 0) << added.err;
  }
  [[nodiscard]] os::CommandResult confirm(std::vector<std::string> words) const {
    words.insert(words.begin(), {"track", "confirm"});
    for (const std::string& word :
         {std::string("--db"), db(), std::string("--results"), path("results"),
          std::string("--no-lock"), std::string("--quiet"), std::string("--allow"),
          std::string("load"), std::string("--allow"), std::string("steal")}) {
      words.push_back(word);
    }
    return stepbench(words);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (own_ / name).string(); }
  [[nodiscard]] std::string db() const { return "sqlite:" + path("history.db"); }

 private:
  const fs::path before_ = fs::current_path();
  test::TemporaryFolder own_;
};

TEST_F(TrackConfirm, ShowsASlowerBuildWithItsSizeAndCause) {
  add_night(build("1"));
  add_night(build("1.05"));
  const os::CommandResult shown = confirm({"night"});
  EXPECT_EQ(shown.exit_status, 1) << shown.err;
  for (const char* part :
       {"tonight:   ", "last good: ", "night, step: regression\n", " (last good) -> ",
        "  measured again: +5.0", "  with both programs at fresh paths: +5.0", ", 20 pairs\n",
        "  cause: ", "launches: "}) {
    EXPECT_THAT(shown.out, HasSubstr(part));
  }
}

TEST_F(TrackConfirm, NeedsAnotherBuildAndSaysWhatToDoWhereThereIsNone) {
  add_night(build("1"));
  const os::CommandResult none = confirm({"night"});
  EXPECT_EQ(none.exit_status, 3) << none.err;
  EXPECT_THAT(none.out, AllOf(HasSubstr("night, step: suspect\n"), HasSubstr("--good PATH")));
  const os::CommandResult good =
      confirm({"night", "--good", build("1.001"), "--confirmations", "1"});
  EXPECT_EQ(good.exit_status, 0) << good.err;
  EXPECT_THAT(good.out, HasSubstr("night, step: not-reproduced\n"));
}

TEST_F(TrackConfirm, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(confirm({"night"}).exit_status, 2) << "there is no history";
  add_night(build("1"));
  const os::CommandResult unknown = confirm({"nihgt"});
  EXPECT_EQ(unknown.exit_status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'night'"));
  const os::CommandResult missing = confirm({"night", "--good", "no/such/worker"});
  EXPECT_EQ(missing.exit_status, 2);
  EXPECT_THAT(missing.err, HasSubstr("there is no program no/such/worker"));
}

}  // namespace
}  // namespace stepbench
