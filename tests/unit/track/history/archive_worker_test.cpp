// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/archive_worker.h"

#include <gmock/gmock.h>

#include "harness/base/error.h"
#include "harness/campaign/confirm_claims.h"
#include "harness/campaign/prune_programs.h"
#include "harness/campaign/script_files.h"
#include "harness/machine/environment.h"
#include "harness/os/text_file.h"
#include "harness/run/worker_program.h"
#include "harness/track/alert_events.h"
#include "harness/track/kept_programs.h"
#include "tests/temporary_folder.h"
#include "tests/unit/track/history/made_night.h"

namespace stepbench::report {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing_history::MadeNight;

namespace fs = std::filesystem;

class KeepWorkerTest : public ::testing::Test {
 protected:
  [[nodiscard]] fs::path program() const { return folder / "src/worker"; }
  [[nodiscard]] fs::path kept() const { return folder / "kept"; }
  void write_program(const std::string& text) const {
    folder.write("src/worker", text);
    fs::permissions(program(), fs::perms::owner_exec, fs::perm_options::add);
  }
  // A night that was measured with the program as it is now.
  track::TrackedRun add_night(int day, const std::string& host = "bench1") {
    MadeNight made = testing_history::night(day);
    made.build_id = run::program_build_id(program());
    made.host = host;
    record::Results results = testing_history::make(made);
    results.runs[0].context["worker"] = Value{program().string()};
    const track::ImportReport report = store.add(results, "results/" + made.run_id);
    for (const track::TrackedRun& run : store.runs()) {
      if (run.run_id == report.runs.at(0)) return run;
    }
    throw Error("the night is not there");
  }
  // A program of its own, measured and kept on that day.
  track::TrackedRun keep_night(int day) {
    write_program("#!/bin/sh\necho " + std::to_string(10 + day) + "\n");
    const track::TrackedRun run = add_night(day);
    keep(run);
    return run;
  }
  campaign::KeepReport keep(const track::TrackedRun& run) {
    return campaign::archive_worker(store, run, kept(), run.started_utc);
  }

  test::TemporaryFolder folder;
  track::TrackStore store = track::TrackStore::open("sqlite:" + std::string(folder / "history.db"));
};

TEST_F(KeepWorkerTest, TheProgramOfANightStaysWhenItsFolderIsBuiltAnew) {
  write_program("#!/bin/sh\necho first\n");
  const track::TrackedRun run = add_night(3);
  const campaign::KeepReport report = keep(run);
  ASSERT_TRUE(report.kept.has_value());
  EXPECT_EQ(report.kept->worker, kept() / run.build_id / "worker");
  write_program("#!/bin/sh\necho second\n");
  EXPECT_EQ(run::program_build_id(report.kept->worker), run.build_id);
  EXPECT_EQ(fs::status(report.kept->worker).permissions() & fs::perms::owner_exec,
            fs::perms::owner_exec);
  ASSERT_THAT(store.builds(), SizeIs(1));
  EXPECT_EQ(store.builds()[0].worker, report.kept->worker);
  EXPECT_EQ(store.builds()[0].host, "bench1");
}

TEST_F(KeepWorkerTest, WhatAProcessThatWasKilledLeftOfACopyIsRemovedByTheNextOne) {
  write_program("#!/bin/sh\n");
  const std::string host = machine::host_name("/");
  const auto half = [&](const std::string& name) {
    folder.write("kept/" + name + "/worker.part", "half");
    return kept() / name;
  };
  const fs::path killed = half("ab12 unfinished on " + host + " #999999999.1");
  const fs::path at_work = half(campaign::claimant_name("ab12 unfinished", host));
  const fs::path elsewhere = half("ab12 unfinished on another-host #999999999.1");
  const fs::path foreign = half("notes on " + host + " #999999999.1");
  keep(add_night(3));
  EXPECT_FALSE(fs::exists(killed));
  for (const fs::path& stays : {at_work, elsewhere, foreign}) EXPECT_TRUE(fs::exists(stays));
}

TEST_F(KeepWorkerTest, ABuildThatIsThere_IsCopiedAgainOnlyIfDamaged) {
  write_program("#!/bin/sh\necho first\n");
  const track::TrackedRun run = add_night(3);
  keep(run);
  const fs::path copy = kept() / run.build_id / "worker";
  const auto written = fs::last_write_time(copy);
  const campaign::KeepReport again = keep(add_night(4));
  EXPECT_FALSE(again.kept.has_value());
  EXPECT_THAT(again.notes, IsEmpty());
  EXPECT_EQ(fs::last_write_time(copy), written);
  fs::resize_file(copy, 4);
  EXPECT_TRUE(keep(run).kept.has_value());
  EXPECT_EQ(run::program_build_id(copy), run.build_id);
}

TEST_F(KeepWorkerTest, WhatIsNotTheProgramOfTheNight_IsNotKept) {
  write_program("#!/bin/sh\necho first\n");
  track::TrackedRun run = add_night(3);
  write_program("#!/bin/sh\necho second\n");
  const auto note = [&] {
    const campaign::KeepReport report = keep(run);
    EXPECT_FALSE(report.kept.has_value());
    EXPECT_THAT(report.notes, SizeIs(1));
    return report.notes.at(0);
  };
  EXPECT_THAT(note(), HasSubstr("was not kept"));
  fs::remove(program());
  EXPECT_THAT(note(), HasSubstr("is not here"));
  run.worker_path = "/usr/share/stepbench/python/stepbench_worker/__main__.py";
  EXPECT_THAT(note(), HasSubstr("measured a Python script: nothing was kept"));
  EXPECT_THAT(store.builds(), IsEmpty());
  folder.write("build/real-worker", "#!/bin/sh\n");
  write_program("#!/bin/sh\nexec " + (folder / "build/real-worker").string() + " \"$@\"\n");
  EXPECT_THAT(keep(add_night(4)).notes, ElementsAre(HasSubstr("real-worker, which is not kept")));
}

TEST_F(KeepWorkerTest, OfAScriptItsFilesAndModulesAreKeptToo) {
  write_program(
      "#!/usr/bin/env python3\nimport model\nfrom bench.data import load\n"
      "settings = open('settings.json')\n");
  folder.write("src/model.py", "import layers\n");
  folder.write("src/layers.py", "");
  folder.write("src/bench/__init__.py", "");
  folder.write("src/bench/data.py", "");
  folder.write("src/settings.json", "{}");
  folder.write("src/unrelated.py", "");
  const track::TrackedRun run = add_night(3);
  keep(run);
  for (const char* name :
       {"model.py", "layers.py", "bench/__init__.py", "bench/data.py", "settings.json"}) {
    EXPECT_TRUE(fs::exists(kept() / run.build_id / name)) << name;
  }
  EXPECT_FALSE(fs::exists(kept() / run.build_id / "unrelated.py"));
  folder.write("src/layers.py", "changed = True\n");
  EXPECT_THAT(keep(run).notes, ElementsAre(HasSubstr("layers.py beside worker changed")));
}

TEST_F(KeepWorkerTest, OldPrograms_GoUnlessAnAlertOrAWeekNeedsThem) {
  folder.write("kept/notes.txt", "mine");
  folder.write("kept/0123456789abcdef/worker", "by hand");
  std::vector<std::string> builds = {""};
  for (int day = 1; day <= 16; ++day) builds.push_back(keep_night(day).build_id);
  EXPECT_THAT(store.builds(), SizeIs(15));
  EXPECT_TRUE(fs::exists(kept() / builds[1])) << "the first of its week and of its month";
  EXPECT_FALSE(fs::exists(kept() / builds[2]));
  EXPECT_TRUE(fs::exists(kept() / builds[3] / "worker"));
  EXPECT_TRUE(fs::exists(kept() / "notes.txt")) << "what others put there";
  EXPECT_TRUE(fs::exists(kept() / "0123456789abcdef/worker"));
  const std::string good = testing_history::night(3).run_id;
  const track::TrackEvent fired{.what = "fired",
                                .alert_id = "A1",
                                .to_state = "suspect",
                                .details = {{"experiment", Value{std::string("nightly")}},
                                            {"host", Value{std::string("bench1")}},
                                            {"last_good", Value{good}},
                                            {"night", Value{good}},
                                            {"series", Value{std::string("5a5a5a5a5a5a5a5a")}},
                                            {"worse", Value{true}}}};
  store.record({&fired, 1});
  for (int day = 17; day <= 18; ++day) keep_night(day);
  EXPECT_TRUE(fs::exists(kept() / builds[3] / "worker")) << "the last good one of an open alert";
  EXPECT_FALSE(fs::exists(kept() / builds[4]));
}

TEST(KeptPrograms, OfADeletedBranchTheLevelsKeepNoProgramAndAnOpenAlertDoes) {
  const auto run = [](const std::string& id, const std::string& utc,
                      const std::string& experiment) {
    return track::TrackedRun{.run_id = id,
                             .started_utc = utc,
                             .experiment = experiment,
                             .host = "bench1",
                             .build_id = "build-" + id};
  };
  const std::vector<track::TrackedRun> runs = {run("main1", "2025-01-01T02:00:00Z", "nightly"),
                                               run("level", "2025-01-01T03:00:00Z", "nightly@dev"),
                                               run("good", "2025-01-02T03:00:00Z", "nightly@dev"),
                                               run("bad", "2025-01-03T03:00:00Z", "nightly@dev")};
  const auto baseline = [](const std::string& of, const std::string& experiment) {
    return track::TrackEvent{
        .what = std::string(track::kBaselineEvent),
        .details = {{"experiment", experiment}, {"host", std::string("bench1")}, {"run", of}}};
  };
  const track::EventNight night = track::night_of(runs[3]);
  const std::vector<track::TrackEvent> events = {
      baseline("main1", "nightly"), baseline("level", "nightly@dev"),
      track::event_of(
          track::MovedSeries{.series = "s", .worse = true, .first_bad = "bad", .last_good = "good"},
          "A1", night, "")};
  // Enough later nights that none of these is one of the last fourteen.
  std::vector<track::TrackedRun> all = runs;
  for (int day = 10; day < 30; ++day) {
    all.push_back(run("later" + std::to_string(day),
                      "2026-03-" + std::to_string(day) + "T02:00:00Z", "nightly"));
  }
  const auto kept = track::programs_to_keep(all, events, "bench1", "2026-03-30T06:00:00Z");
  EXPECT_TRUE(kept.contains("build-main1")) << "a level of main, however old";
  EXPECT_FALSE(kept.contains("build-level"));
  EXPECT_TRUE(kept.contains("build-good")) << "until a person closes the alert";
  EXPECT_TRUE(kept.contains("build-bad"));
  const auto early = track::programs_to_keep(runs, events, "bench1", "2025-03-01T06:00:00Z");
  EXPECT_EQ(early.at("build-level"), track::KeptFor::kNamed);
}

TEST_F(KeepWorkerTest, OverALimitTheMonthlyGoFirstAndWhatIsNamedNever) {
  std::vector<std::string> builds;
  for (int day = 1; day <= 16; ++day) {
    const track::TrackedRun run = keep_night(day);
    builds.push_back(run.build_id);
    if (day != 3) continue;
    const track::TrackEvent baseline{.what = std::string(track::kBaselineEvent),
                                     .details = {{"experiment", Value{std::string("nightly")}},
                                                 {"host", Value{std::string("bench1")}},
                                                 {"run", Value{run.run_id}}}};
    store.record({&baseline, 1});
  }
  campaign::ProgramPruning request{
      .host = "bench1", .now_utc = "2026-01-16T06:00:00Z", .dry_run = true};
  const campaign::PrunedPrograms all = campaign::prune_programs(store, request);
  ASSERT_THAT(all.programs, SizeIs(15));
  const std::uint64_t each = all.programs.front().bytes;
  EXPECT_EQ(all.bytes_before, 15 * each);
  request.limit_bytes = 13 * each;
  EXPECT_EQ(campaign::prune_programs(store, request).bytes_after, 13 * each);
  EXPECT_THAT(store.builds(), SizeIs(15)) << "a dry run";
  request.dry_run = false;
  request.limit_bytes = 0;
  const campaign::PrunedPrograms left = campaign::prune_programs(store, request);
  EXPECT_THAT(left.notes, ElementsAre(HasSubstr("it is never removed")));
  ASSERT_THAT(store.builds(), SizeIs(1));
  EXPECT_EQ(store.builds()[0].build_id, builds[2]) << "the baseline";
  EXPECT_TRUE(fs::exists(kept() / builds[2] / "worker"));
}

// A history may be damaged, or somebody else's.
TEST_F(KeepWorkerTest, WhatTheHistoryCallsAKeptProgramIsNotRemovedUnlessItIsOne) {
  write_program("#!/bin/sh\necho first\n");
  const track::TrackedRun run = add_night(3);
  folder.write("precious/worker", "#!/bin/sh\necho first\n");
  folder.write("precious/thesis", "all of it");
  folder.write("kept/theses/deep/worker", "mine");
  folder.write("another/" + run.build_id + "/worker", "another program");
  fs::create_directories(kept());
  fs::create_directory_symlink(folder / "precious", kept() / run.build_id);
  const std::vector<fs::path> programs = {folder / "precious/worker",
                                          kept() / ".." / "precious" / "worker",
                                          kept() / ".." / "worker",
                                          kept() / run.build_id / "worker",  // by a link
                                          folder / "another" / run.build_id / "worker",
                                          "precious/worker",
                                          "/worker",
                                          ""};
  for (const fs::path& program : programs) {
    for (const fs::path& in : {fs::path(), kept()}) {
      store.keep_build({.build_id = run.build_id,
                        .host = "bench1",
                        .worker = program,
                        .stored_utc = "2020-01-01T00:00:00Z"});
      const campaign::PrunedPrograms pruned = campaign::prune_programs(
          store, {.host = "bench1", .now_utc = "2030-01-16T06:00:00Z", .folder = in});
      EXPECT_THAT(pruned.programs, IsEmpty()) << program;
      if (in.empty()) {
        EXPECT_THAT(pruned.notes, ElementsAre(HasSubstr("it stays as it is"))) << program;
        EXPECT_THAT(store.builds(), IsEmpty()) << program;
      }
      for (const char* file : {"precious/worker", "precious/thesis", "kept/theses/deep/worker"}) {
        EXPECT_TRUE(fs::exists(folder / file)) << program << " " << file;
      }
      EXPECT_TRUE(fs::exists(folder / "another" / run.build_id / "worker")) << program;
    }
  }
}

TEST(ScriptFiles, AreThoseBesideAScript) {
  const test::TemporaryFolder folder;
  folder.write("bin/worker", "#!/bin/sh\n. ../secret.env\n. here.sh\n");
  folder.write("secret.env", "");
  folder.write("bin/here.sh", "");
  EXPECT_THAT(campaign::files_of_script(folder / "bin/worker").beside, ElementsAre("here.sh"));
  using namespace std::string_view_literals;
  folder.write("bin/worker",
               "\x7f"
               "ELF here.sh"sv);  // no script: it names nothing
  EXPECT_THAT(campaign::files_of_script(folder / "bin/worker").beside, IsEmpty());
}

}  // namespace
}  // namespace stepbench::report
