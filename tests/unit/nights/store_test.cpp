// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/track_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "harness/base/error.h"
#include "harness/nights/internal/database.h"
#include "harness/nights/internal/event.h"
#include "harness/nights/internal/sqlite.h"
#include "harness/os/descriptor.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/nights/made_night.h"

namespace stepbench::report {
namespace {

using testing_history::MadeNight;

class TrackStoreTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string file() const { return folder / "history.db"; }
  [[nodiscard]] std::string url() const { return "sqlite:" + file(); }
  [[nodiscard]] std::string events_file() const { return file() + ".events.jsonl"; }
  [[nodiscard]] nights::TrackStore open() const { return nights::TrackStore::open(url()); }
  static nights::ImportReport add(nights::TrackStore& store, const MadeNight& made) {
    return store.add(testing_history::make(made), "results/" + made.run_id);
  }
  static const nights::SeriesHistory& step_of(const nights::History& history,
                                              const std::string& case_id) {
    for (const nights::SeriesHistory& one : history.series) {
      if (one.series.metric == nights::kStepSeries && one.series.case_id == case_id) return one;
    }
    throw Error("no step series of " + case_id);
  }

  test::TemporaryFolder folder;
};

TEST_F(TrackStoreTest, Night_RoundTrips) {
  nights::TrackStore store = open();
  const nights::ImportReport report = add(store, testing_history::night(3));
  EXPECT_EQ(report.new_launches, 6U);
  EXPECT_EQ(report.points, 4U);
  EXPECT_THAT(report.runs, ElementsAre("20260103-020000-nightly"));
  const nights::History history = open().history();
  ASSERT_THAT(history.runs, SizeIs(1));
  EXPECT_EQ(history.runs[0].experiment, "nightly");
  EXPECT_EQ(history.runs[0].asked.set, std::vector<std::string>{"seed=1"});
  EXPECT_EQ(text_of(history.runs[0].environment, "torch"), "2.11.0");
  EXPECT_THAT(history.series, SizeIs(4));
  const nights::SeriesHistory& step = step_of(history, "aaaaaaaaaaaaaaaa");
  EXPECT_EQ(step.series.experiment, "nightly");
  EXPECT_EQ(step.series.id, nights::series_id(step.series));
  ASSERT_THAT(step.points, SizeIs(1));
  EXPECT_EQ(step.points[0].value, 10'002'500);
  EXPECT_EQ(step.points[0].launches, 6);
  EXPECT_EQ(step.points[0].steps, 5);
  EXPECT_EQ(step.points[0].control, std::nullopt);
  ASSERT_THAT(history.cohorts, SizeIs(1));
  EXPECT_EQ(step.points[0].cohort, history.cohorts[0].id);
  EXPECT_EQ(text_of(history.cohorts[0].fields, "kernel"), "6.1");
}

TEST_F(TrackStoreTest, ForeignRow_IsNamed) {
  nights::TrackStore store = open();
  add(store, testing_history::night(3));
  for (const char* column : {"context", "environment", "asked", "labels"}) {
    nights::open_sqlite(file())->exec(std::string("UPDATE run SET ") + column + " = '{\"a\": '");
    EXPECT_THAT([&] { (void)open().history(); },
                ThrowsMessage<ConfigError>(HasSubstr("history.db: a row of the table run is "
                                                     "damaged ('20260103-020000-nightly'")))
        << column;
    nights::open_sqlite(file())->exec(std::string("UPDATE run SET ") + column + " = '{}'");
  }
}

TEST_F(TrackStoreTest, ForeignStatements_AreNotRun) {
  {
    nights::TrackStore store = open();
    add(store, testing_history::night(3));
  }
  const auto other = nights::open_sqlite(file());
  other->exec("CREATE TRIGGER boom AFTER INSERT ON launch BEGIN DELETE FROM point; END");
  {
    nights::TrackStore store = open();
    add(store, testing_history::night(4));
    const nights::History history = store.history();
    EXPECT_THAT(history.runs, SizeIs(2));
    EXPECT_THAT(step_of(history, "aaaaaaaaaaaaaaaa").points, SizeIs(2));
  }
  other->exec("PRAGMA foreign_keys = OFF");
  other->exec("CREATE TABLE kept AS SELECT * FROM run");
  other->exec("DROP TABLE run");
  other->exec("CREATE VIEW run AS SELECT * FROM kept");
  EXPECT_THAT([&] { (void)open().history(); },
              ThrowsMessage<ConfigError>(HasSubstr("access to view")));
  other->exec("DROP VIEW run");
  other->exec(
      "CREATE VIEW run AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "
      "SELECT kept.* FROM kept, c");
  EXPECT_THROW((void)open().history(), ConfigError) << "rows without end";
}

TEST_F(TrackStoreTest, AddedAgain_ChangesNothing) {
  nights::TrackStore store = open();
  MadeNight made = testing_history::night(3);
  made.labels = {{"branch", Value{std::string("main")}}, {"pr", Value{std::string("17")}}};
  add(store, made);
  EXPECT_EQ(open().runs().at(0).labels, made.labels);
  const nights::ImportReport again = add(store, made);
  EXPECT_EQ(again.new_launches, 0U);
  EXPECT_EQ(again.known_launches, 6U);
  EXPECT_EQ(again.points, 0U);
  EXPECT_THAT(again.conflicts, IsEmpty());
  EXPECT_THAT(store.history().runs, SizeIs(1));

  MadeNight other = made;
  other.step_ns = [](const std::string&, int launch) {
    return launch == 2 ? std::int64_t{99'000'000} : std::int64_t{10'000'000 + 1000 * launch};
  };
  const nights::ImportReport report = add(store, other);
  EXPECT_EQ(report.known_launches, 5U);
  EXPECT_THAT(report.conflicts,
              ElementsAre(HasSubstr("launch 2 of case aaaaaaaaaaaaaaaa of run "
                                    "20260103-020000-nightly is known with other content")));
  EXPECT_EQ(step_of(store.history(), "aaaaaaaaaaaaaaaa").points.at(0).value, 10'002'500);

  made.config_hash = "config2";
  made.launches = 9;
  const nights::ImportReport configured = add(store, made);
  EXPECT_EQ(configured.new_launches, 0U);
  EXPECT_THAT(configured.conflicts, ElementsAre(HasSubstr("known with another configuration")));
  EXPECT_EQ(step_of(store.history(), "aaaaaaaaaaaaaaaa").points.at(0).launches, 6);
}

TEST_F(TrackStoreTest, RunsOfOneSecond_AreTwoNights) {
  nights::TrackStore store = open();
  add(store, testing_history::night(3));
  MadeNight other = testing_history::night(3);
  other.step_ns = [](const std::string&, int) { return std::int64_t{20'000'000}; };
  MadeNight third = testing_history::night(3);
  third.config_hash = "config2";
  for (int again = 0; again < 2; ++again) {
    for (const auto& [night, folder_of] : {std::pair{other, "b/"}, std::pair{third, "c/"}}) {
      const nights::ImportReport report =
          store.add(testing_history::make(night), folder_of + night.run_id);
      EXPECT_THAT(report.conflicts, IsEmpty());
      EXPECT_EQ(report.new_launches, again == 0 ? 6U : 0U);
    }
  }
  const nights::ImportReport moved =
      store.add(testing_history::make(testing_history::night(3)), "d/20260103-020000-nightly");
  EXPECT_EQ(moved.known_launches, 6U) << "a copy is no other night";
  std::vector<std::string> ids;
  for (const nights::TrackedRun& run : store.runs()) ids.push_back(run.run_id);
  EXPECT_THAT(ids, ElementsAre("20260103-020000-nightly", "20260103-020000-nightly-2",
                               "20260103-020000-nightly-3"));
}

TEST_F(TrackStoreTest, MachinesOfOneSecond_AreTwoNights) {
  nights::TrackStore store = open();
  add(store, testing_history::night(3));
  MadeNight other = testing_history::night(3);
  other.host = "bench2";
  EXPECT_THAT(add(store, other).runs, ElementsAre("20260103-020000-nightly@bench2"));
  EXPECT_EQ(add(store, other).known_launches, 6U);
  EXPECT_THAT(store.history().runs, SizeIs(2));
  EXPECT_THAT(store.history({.host = "bench2"}).runs, SizeIs(1));
  EXPECT_THAT(step_of(store.history(), "aaaaaaaaaaaaaaaa").points, SizeIs(2));
  EXPECT_THAT(step_of(store.history({.host = "bench1"}), "aaaaaaaaaaaaaaaa").points, SizeIs(1));
}

TEST_F(TrackStoreTest, ResumedRun_RenewsItsPoints) {
  nights::TrackStore store = open();
  MadeNight made = testing_history::night(3);
  made.launches = 4;
  add(store, made);
  made.launches = 10;
  const nights::ImportReport report = add(store, made);
  EXPECT_EQ(report.known_launches, 4U);
  EXPECT_EQ(report.new_launches, 6U);
  nights::TrackStore at_once =
      nights::TrackStore::open("sqlite:" + std::string(folder / "other.db"));
  add(at_once, made);
  EXPECT_EQ(step_of(store.history(), "aaaaaaaaaaaaaaaa").points.at(0).value,
            step_of(at_once.history(), "aaaaaaaaaaaaaaaa").points.at(0).value);
  EXPECT_EQ(step_of(store.history(), "aaaaaaaaaaaaaaaa").points.at(0).launches, 10);

  // A later attempt replaces a failed one.
  record::Results results = testing_history::make(testing_history::night(4));
  results.launches[0].row.outcome = Outcome::failed("out of memory");
  store.add(results, "results/RUN");
  EXPECT_EQ(step_of(store.history(), "aaaaaaaaaaaaaaaa").points.at(1).launches, 5);
  results.launches[0].row.outcome = {};
  results.launches[0].row.attempt = 1;
  const nights::ImportReport later = store.add(results, "results/RUN");
  EXPECT_THAT(later.conflicts, IsEmpty());
  EXPECT_EQ(later.new_launches, 1U);
  EXPECT_EQ(step_of(store.history(), "aaaaaaaaaaaaaaaa").points.at(1).launches, 6);
}

// The control step comes with the others' launches, or in a later part of the run.
TEST_F(TrackStoreTest, ControlStep_IsInTheOtherPoints) {
  nights::TrackStore store = open();
  MadeNight made = testing_history::night(3);
  made.control = "cccccccccccccccc";
  made.step_ns = [](const std::string& id, int) {
    return id[0] == 'c' ? std::int64_t{7'000'000} : std::int64_t{10'000'000};
  };
  add(store, made);
  made.cases = {"cccccccccccccccc"};
  add(store, made);
  MadeNight both = testing_history::night(4, made);
  both.cases = {"aaaaaaaaaaaaaaaa", "cccccccccccccccc"};
  add(store, both);
  const nights::History history = store.history();
  for (const nights::TrackedPoint& point : step_of(history, "aaaaaaaaaaaaaaaa").points) {
    EXPECT_EQ(point.control, 7e6);
  }
  EXPECT_FALSE(step_of(history, "aaaaaaaaaaaaaaaa").series.control);
  EXPECT_TRUE(step_of(history, "cccccccccccccccc").series.control);
}

TEST_F(TrackStoreTest, Query_SelectsAndLimits) {
  nights::TrackStore store = open();
  for (const int day : {9, 2, 5}) add(store, testing_history::night(day));
  MadeNight weekly{.name = "weekly", .cases = {"bbbbbbbbbbbbbbbb"}};
  add(store, testing_history::night(6, weekly));
  const nights::History history = store.history();
  EXPECT_THAT(history.series, SizeIs(8));
  EXPECT_THAT(store.history({.experiments = {"weekly"}}).series, SizeIs(4));
  EXPECT_THAT(store.history({.runs = {"20260106-020000-weekly"}}).series, SizeIs(4));
  const auto nights = [](const nights::History& some, const nights::SeriesHistory& one) {
    std::vector<std::string> dates;
    for (const nights::TrackedPoint& point : one.points) {
      dates.push_back(some.runs.at(point.run).started_utc.substr(0, 10));
    }
    return dates;
  };
  const nights::SeriesHistory& step = step_of(history, "aaaaaaaaaaaaaaaa");
  EXPECT_THAT(nights(history, step), ElementsAre("2026-01-02", "2026-01-05", "2026-01-09"));
  const nights::History one = store.history({.series = {step.series.id}, .last = 2});
  ASSERT_THAT(one.series, SizeIs(1));
  EXPECT_THAT(nights(one, one.series[0]), ElementsAre("2026-01-05", "2026-01-09"));
}

TEST_F(TrackStoreTest, Extents_MatchThePoints) {
  nights::TrackStore store = open();
  for (const int day : {3, 5, 2}) add(store, testing_history::night(day));
  MadeNight other = testing_history::night(9);
  other.cases = {"bbbbbbbbbbbbbbbb"};
  add(store, other);
  const auto extents = store.extents();
  const nights::History whole = store.history();
  EXPECT_EQ(extents.size(), whole.series.size());
  std::set<std::size_t> counts;
  for (const nights::SeriesHistory& one : whole.series) {
    const nights::SeriesExtent& extent = extents.at(one.series.id);
    EXPECT_EQ(extent.points, one.points.size());
    EXPECT_EQ(extent.first_run, whole.runs[one.points.front().run].run_id);
    counts.insert(extent.points);
  }
  EXPECT_THAT(counts, ElementsAre(1U, 3U));
}

TEST_F(TrackStoreTest, HostileNames_AreOnlyNames) {
  const std::string evil = "Robert'); DROP TABLE point;--\"\\ \n\t\x01 $1 %s \xF0\x9F\x98\x80";
  nights::TrackStore store = open();
  MadeNight made = testing_history::night(3);
  made.name = made.host = made.build_id = made.config_hash = evil;
  made.run_id += evil;
  made.cases = {evil};
  made.environment["torch"] = Value{evil};
  made.environment[evil] = Value{evil};
  add(store, made);
  const nights::History history = open().history({.experiments = {evil}, .host = evil});
  ASSERT_THAT(history.runs, SizeIs(1));
  EXPECT_EQ(history.runs[0].run_id, made.run_id);
  EXPECT_EQ(history.runs[0].build_id, evil);
  EXPECT_EQ(text_of(history.cohorts.at(0).fields, "torch"), evil);
  EXPECT_EQ(step_of(history, evil).points.at(0).value, 10'002'500);
  nights::TrackEvent event{
      .who = evil, .what = evil, .reason = evil, .details = {{evil, Value{evil}}}};
  store.record({&event, 1});
  EXPECT_EQ(store.events().at(0).details, event.details);
}

TEST_F(TrackStoreTest, Events_RoundTripInOrder) {
  nights::TrackStore store = open();
  const std::vector<nights::TrackEvent> first = {
      {.at_utc = "2026-01-03T02:00:00Z", .who = "me@bench1", .what = "suspect", .alert_id = "A1"},
      {.at_utc = "2026-01-03T02:00:00Z",
       .who = "me@bench1",
       .what = "confirm",
       .alert_id = "A1",
       .from_state = "suspect",
       .to_state = "reproduced",
       .reason = "p 2e-5",
       .details = {{"change", Value{0.03}}, {"pairs", Value{std::int64_t{20}}}}}};
  store.record(first);
  const nights::TrackEvent second{.at_utc = "2026-01-02T02:00:00Z", .what = "ignore"};
  store.record({&second, 1});
  const std::vector<nights::TrackEvent> events = open().events();
  ASSERT_THAT(events, SizeIs(3));
  EXPECT_EQ(events[1].to_state, "reproduced");
  EXPECT_EQ(events[1].details, first[1].details);
  EXPECT_EQ(events[2].what, "ignore");
  const std::string text = test::text_of_file(events_file());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

TEST_F(TrackStoreTest, RebuiltHistory_ReadsItsEvents) {
  const nights::TrackEvent event{.what = "suspect", .alert_id = "A1"};
  open().record(std::vector{event, event});
  fs::remove(file());
  EXPECT_THAT(open().events(), SizeIs(2));
  // A torn last line is not an event, and is overwritten by the next one.
  std::ofstream(events_file(), std::ios::app) << R"({"schema":"stepbench.event","ver)";
  EXPECT_THAT(open().events(), SizeIs(2));
  open().record({&event, 1});
  fs::remove(file());
  EXPECT_THAT(open().events(), SizeIs(3));
  std::ofstream(events_file(), std::ios::app) << "what is this?\n";
  EXPECT_THAT(test::error_of<ConfigError>([&] { (void)open(); }),
              StartsWith(events_file() + ":4: "));
}

TEST_F(TrackStoreTest, NewerEvent_NamesTheProgram) {
  open().record(std::vector{nights::TrackEvent{.what = "note"}});
  std::string text = test::text_of_file(events_file());
  const std::string_view version = R"("version":1)";
  text.replace(text.find(version), version.size(), R"("version":7)");
  folder.write("history.db.events.jsonl", text + '\n' + text);
  fs::remove(file());
  EXPECT_THAT([&] { (void)open(); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr(":1: was written by a newer stepbench, as version 7 of an event"),
                        Not(HasSubstr("delete")))));
}

TEST_F(TrackStoreTest, KnownEvents_AreNotReadAgain) {
  const nights::TrackEvent event{
      .what = "suspect", .alert_id = "A1", .reason = std::string(3000, 'x')};
  open().record({&event, 1});
  const std::string line = test::text_of_file(events_file());
  folder.write("history.db.events.jsonl", '?' + line.substr(1) + line);
  EXPECT_THAT(open().events(), SizeIs(1));
  folder.write("history.db.events.jsonl", "?\n");
  EXPECT_THROW((void)open(), ConfigError) << "what is another file is read whole";
}

TEST_F(TrackStoreTest, LockedFileOrPipe_TimesOut) {
  const nights::RecordedEvent recorded{.seq = 1, .event = {.what = "suspect"}};
  folder.write("history.db.events.jsonl", "");
  const os::Descriptor holder(::open(events_file().c_str(), O_RDONLY | O_CLOEXEC));
  ASSERT_EQ(::flock(holder.value(), LOCK_EX), 0);
  EXPECT_THAT(
      [&] {
        (void)nights::append_events(events_file(), {&recorded, 1}, {},
                                    std::chrono::milliseconds(20));
      },
      ThrowsMessage<ConfigError>(HasSubstr("is locked by another program")));
  EXPECT_EQ(test::text_of_file(events_file()), "");
  fs::remove(events_file());
  ASSERT_EQ(::mkfifo(events_file().c_str(), 0600), 0);
  EXPECT_THAT([&] { (void)open(); }, ThrowsMessage<ConfigError>(HasSubstr("is a pipe")));
}

TEST_F(TrackStoreTest, KeptBuilds_AreSortedByTime) {
  nights::TrackStore store = open();
  store.store_build(
      {.build_id = "b2", .host = "bench1", .worker = "kept/b2/worker", .stored_utc = "2026-01-02"});
  store.store_build(
      {.build_id = "b1", .host = "bench1", .worker = "kept/b1/worker", .stored_utc = "2026-01-03"});
  ASSERT_THAT(store.builds(), SizeIs(2));
  EXPECT_EQ(store.builds()[0].build_id, "b2");
  store.forget_build("b2", "bench2");
  EXPECT_THAT(store.builds(), SizeIs(2));
  store.forget_build("b2", "bench1");
  ASSERT_THAT(store.builds(), SizeIs(1));
  EXPECT_EQ(store.builds()[0].worker, "kept/b1/worker");
}

TEST_F(TrackStoreTest, OnlyAdd_MakesOne) {
  EXPECT_THROW((void)nights::TrackStore::open(url(), {.make = false}), ConfigError);
  EXPECT_FALSE(fs::exists(file()));
  (void)open();
  nights::Database::open(url())->exec("UPDATE meta SET value = '99'");
  EXPECT_THAT([&] { (void)open(); }, ThrowsMessage<ConfigError>(HasSubstr("schema version 99")));
}

}  // namespace
}  // namespace stepbench::report
