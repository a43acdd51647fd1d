// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>

#include "harness/base/error.h"
#include "harness/os/descriptor.h"
#include "harness/record/result_file.h"
#include "harness/text/time_text.h"
#include "tests/testing.h"
#include "tests/unit/campaign/made_runs.h"

namespace stepbench::campaign {
namespace {

using namespace std::chrono_literals;
using testing_runs::make_run;

const Moment kFebruary = text::parse_utc("2026-02-10").value();

class Prune : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* day : {"01", "02", "03", "04"}) {
      make_run(results_, {.id = std::string("202602") + day + "-120000-night",
                          .started_utc = std::string("2026-02-") + day + "T12:00:00Z"});
    }
  }

  [[nodiscard]] PrunePlan plan(const PruneRequest& request) const {
    return plan_prune(summarise_runs(results_.path()), request);
  }
  [[nodiscard]] static std::vector<std::string> removable(const PrunePlan& plan) {
    std::vector<std::string> names;
    for (const RunSummary& run : plan.removable) names.push_back(run.folder.filename());
    return names;
  }
  [[nodiscard]] std::vector<std::string> left() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(results_.path())) {
      names.push_back(entry.path().filename());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  test::TemporaryFolder results_;
};

TEST_F(Prune, OldOrSurplusRuns_AreSelected) {
  EXPECT_THAT(removable(plan({.keep = 2, .now = kFebruary})),
              ElementsAre("20260202-120000-night", "20260201-120000-night"));
  EXPECT_THAT(removable(plan({.older_than = 8 * 24h, .now = kFebruary})),
              ElementsAre("20260201-120000-night"));
  EXPECT_THAT(removable(plan({.keep = 1, .older_than = 7 * 24h, .now = kFebruary})),
              ElementsAre("20260202-120000-night", "20260201-120000-night"));
  EXPECT_THAT(removable(plan({.keep = 9, .now = kFebruary})), IsEmpty());
  EXPECT_THAT(removable(plan({.filter = {.name = "other"}, .keep = 0, .now = kFebruary})),
              IsEmpty());
}

TEST_F(Prune, ProtectedRuns_StayWithAReason) {
  make_run(results_, {.id = "20260101-000000-paper",
                      .started_utc = "2026-01-01T00:00:00Z",
                      .labels = {{"keep", Value{std::string("paper")}}}});
  results_.write("20260201-120000-night/notes.txt", "important");
  results_.write("20260202-120000-night/traces/box_1.2.pt.trace.json", "{}");
  results_.write("20260102-000000-damaged/x.jsonl", "no JSON\n");
  fs::create_directory(results_ / "20260103-000000-live");
  record::ResultWriter writer(results_ / "20260103-000000-live/x.jsonl");
  writer.write(
      record::RunRow{.run_id = "20260103-000000-live", .started_utc = "2026-01-03T00:00:00Z"});
  const PrunePlan all = plan({.keep = 0, .now = kFebruary});
  EXPECT_THAT(removable(all), ElementsAre("20260204-120000-night", "20260203-120000-night",
                                          "20260202-120000-night"));
  std::string reasons;
  for (const RetainedRun& retained : all.retained) {
    reasons += retained.run.folder.filename().string() + ' ' + retained.reason + '\n';
  }
  EXPECT_THAT(reasons, HasSubstr("paper is labelled keep=paper\n"));
  EXPECT_THAT(reasons, HasSubstr("live is running\n"));
  EXPECT_THAT(reasons, HasSubstr("damaged is not readable as a run"));
  EXPECT_THAT(reasons, HasSubstr("night holds notes.txt, which does not belong to a run\n"));
}

TEST_F(Prune, Searches_AreRecognised) {
  results_.write("20260105-120000-bisect-train/bisect.json",
                 R"({"schema":"stepbench.bisect","answer":"found","launches":12})");
  for (const char* file :
       {"bisect.log", "logs/a.log", "programs/a/kept", "ends/20260105-120001-x/x.jsonl", "ends-2/x",
        "commit-0123/x", "copies-0123-2/x", "culprit-0123/x", "counts-0123/x", "rest/x"}) {
    results_.write(std::string("20260105-120000-bisect-train/") + file, "x");
  }
  make_run(results_, {.id = "20260106-120000-tune", .started_utc = "2026-01-06T12:00:00Z"});
  for (const char* file : {"tuning.json", "tuned.yaml", "own.yaml", "confirm/r/x.jsonl"}) {
    results_.write(std::string("20260106-120000-tune/") + file, "{}");
  }
  results_.write("20260107-120000-bisect-x/bisect.json", R"({"answer":"open"})");
  results_.write("20260107-120000-bisect-x/notes.txt", "important");
  const RunSummary search = summarise_run(results_ / "20260105-120000-bisect-train");
  EXPECT_EQ(search.broken, "");
  EXPECT_EQ(search.kind, "bisect");
  EXPECT_EQ(summarise_run(results_ / "20260106-120000-tune").kind, "tune");
  EXPECT_EQ(search.name, "bisect-train");
  EXPECT_EQ(search.launches, 12);
  EXPECT_EQ(search.state, RunState::kComplete);
  const PrunePlan old = plan({.older_than = 20 * 24h, .now = kFebruary});
  EXPECT_THAT(removable(old), ElementsAre("20260106-120000-tune", "20260105-120000-bisect-train"));
  ASSERT_EQ(old.retained.size(), 1U);
  EXPECT_THAT(old.retained.front().reason, HasSubstr("holds notes.txt"));
  const fs::path living = results_ / "20260105-120000-bisect-train";
  const os::Descriptor lock(::open(living.c_str(), O_RDONLY | O_DIRECTORY));
  ASSERT_EQ(::flock(lock.value(), LOCK_EX), 0);
  EXPECT_EQ(summarise_run(living).state, RunState::kRunning);
  EXPECT_THROW(remove_run(living), ConfigError);
}

TEST_F(Prune, Link_IsNotFollowed) {
  const test::TemporaryFolder elsewhere;
  make_run(elsewhere, {.id = "20250101-000000-far", .started_utc = "2025-01-01T00:00:00Z"});
  fs::create_directory_symlink(elsewhere / "20250101-000000-far", results_ / "20250101-000000-far");
  fs::create_symlink(elsewhere / "20250101-000000-far/box-1of1-7.jsonl",
                     results_ / "20260201-120000-night/linked.jsonl");
  const PrunePlan all = plan({.keep = 0, .now = kFebruary});
  EXPECT_THAT(removable(all), Not(Contains("20250101-000000-far")));
  remove_run(results_ / "20260201-120000-night");
  EXPECT_TRUE(fs::exists(elsewhere / "20250101-000000-far/box-1of1-7.jsonl"));
}

TEST_F(Prune, RestartedRun_Stays) {
  const fs::path folder = results_ / "20260201-120000-night";
  {
    record::ResultWriter writer(folder / "resumed.jsonl");
    EXPECT_THAT([&] { remove_run(folder); },
                ThrowsMessage<ConfigError>(HasSubstr("is running by now")));
  }
  EXPECT_TRUE(fs::exists(folder / "box-1of1-7.jsonl"));
  fs::rename(folder, results_ / ".deleting-20260201-120000-night");
  EXPECT_EQ(summarise_runs(results_.path()).size(), 3U);
  remove_leftovers(results_.path());
  EXPECT_EQ(left().size(), 3U);
}

}  // namespace
}  // namespace stepbench::campaign
