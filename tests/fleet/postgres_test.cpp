// SPDX-License-Identifier: Apache-2.0
// A history on a real PostgreSQL server compared with one in a file: equal results, with many
// writers at once, and after any process dies.
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <chrono>
#include <thread>

#include "harness/base/error.h"
#include "harness/nights/acts.h"
#include "harness/nights/internal/database.h"
#include "harness/nights/internal/postgres.h"
#include "harness/nights/internal/schema.h"
#include "harness/nights/internal/sqlite.h"
#include "harness/nights/internal/track_store.h"
#include "harness/os/descriptor.h"
#include "tests/fleet/postgres_server.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/unit/nights/made_night.h"

namespace stepbench {
namespace {

using testing_fleet::PostgresServer;
using testing_history::MadeNight;

MadeNight night_of(int day, int cases = 4) {
  MadeNight made = testing_history::night(day);
  made.cases.clear();
  for (int one = 0; one < cases; ++one) {
    made.cases.push_back("case00000000" + std::to_string(1000 + one));
  }
  made.control = made.cases.front();
  made.step_ns = [day](const std::string& id, int launch) {
    return std::int64_t{10'000'000} + 7919 * day + 101 * launch * launch + 13 * id.back();
  };
  made.labels = {{"branch", Value{std::string("it's \"main\"; --")}}};
  return made;
}

// All data of a history as text.
std::string text_of(const nights::History& history) {
  std::ostringstream text;
  text.precision(17);
  for (const nights::TrackedRun& run : history.runs) {
    text << run.run_id << '|' << run.started_utc << '|' << run.experiment << '|' << run.host << '|'
         << run.build_id << '|' << run.git_sha << '|' << run.git_dirty << '|' << run.config_text
         << '|' << nights::fields_json(run.labels) << nights::fields_json(run.context)
         << nights::fields_json(run.environment) << nights::asked_json(run.asked) << '\n';
  }
  for (const nights::SeriesHistory& one : history.series) {
    text << one.series.id << '|' << one.series.experiment << '|' << one.series.case_id << '|'
         << one.series.metric << '|' << one.series.control
         << nights::fields_json(Fields(one.series.options))
         << nights::fields_json(one.series.machine) << '\n';
    for (const nights::TrackedPoint& point : one.points) {
      text << "  " << point.run << ' ' << point.value << ' ' << point.low << ' ' << point.high
           << ' ' << point.launches << ' ' << point.steps << ' ' << point.control.value_or(-1)
           << ' ' << point.cohort << '\n';
    }
  }
  for (const nights::Cohort& cohort : history.cohorts)
    text << cohort.id << nights::fields_json(cohort.fields);
  return text.str();
}

class FleetTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    server = PostgresServer::start(reason);
    if (!server) GTEST_SKIP() << reason;
  }
  [[nodiscard]] std::string sqlite_url(const std::string& name) const {
    return "sqlite:" + std::string(folder / (name + ".db"));
  }
  [[nodiscard]] nights::TrackStore open(const std::string& url) const {
    return nights::TrackStore::open(url, {.events_file = folder / "events.jsonl"});
  }
  // The history of these nights when one process adds them without disturbance.
  [[nodiscard]] std::string in_peace(int nights) const {
    nights::TrackStore store = open(sqlite_url("peace"));
    for (int day = 1; day <= nights; ++day) {
      store.add(testing_history::make(night_of(day)), "results/RUN");
    }
    return text_of(store.history());
  }
  // Runs `work` in a child process; returns its id.
  template <typename Work>
  static pid_t in_process(const Work& work) {
    const pid_t child = ::fork();
    if (child != 0) return child;
    try {
      work();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s\n", error.what());
      ::_exit(1);
    }
    ::_exit(0);
  }
  static int end_of(pid_t child) {
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }

  test::TemporaryFolder folder;
  std::unique_ptr<PostgresServer> server;
};

TEST_F(FleetTest, SameNights_AreEqualInBothStores) {
  const std::string shared = server->new_database("same");
  std::vector<std::string> texts;
  for (const std::string& url : {shared, sqlite_url("same")}) {
    nights::TrackStore store = open(url);
    for (const int day : {5, 2, 9}) {
      const record::Results results = testing_history::make(night_of(day));
      EXPECT_EQ(store.add(results, "results/RUN").new_launches, 24U);
      EXPECT_EQ(store.add(results, "results/RUN").known_launches, 24U);
    }
    MadeNight more = night_of(9);
    more.launches = 9;
    store.add(testing_history::make(more), "results/RUN");
    MadeNight changed = night_of(2);
    changed.step_ns = [](const std::string&, int) { return std::int64_t{1}; };
    EXPECT_THAT(store.add(testing_history::make(changed), "results/RUN").conflicts, SizeIs(24));
    MadeNight other_host = night_of(2);
    other_host.host = "bench2";
    store.add(testing_history::make(other_host), "results/RUN");
    texts.push_back(text_of(store.history()) + text_of(store.history({.host = "bench2"})) +
                    text_of(store.history({.runs = {"20260109-020000-nightly"}, .last = 2})));
  }
  EXPECT_FALSE(texts[0].empty());
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(FleetTest, Server_KeepsEventsClaimsAndBuilds) {
  nights::TrackStore store = open(server->new_database("events"));
  const std::string evil = "Robert'); DROP TABLE event;--\"\\ \n$1";
  const nights::TrackEvent event{.who = evil, .what = "ignored", .details = {{evil, Value{0.1}}}};
  store.record({&event, 1});
  ASSERT_THAT(store.events(), SizeIs(1));
  EXPECT_EQ(store.events()[0].details, event.details);
  store.store_build({.build_id = "b1", .host = "h", .worker = "w", .stored_utc = "2026"});
  EXPECT_THAT(store.builds(), SizeIs(1));
}

TEST_F(FleetTest, Server_HasTheSameAlertView) {
  const test::TemporaryFolder own;
  const std::string of_file = "sqlite:" + (own / "history.db").string();
  const std::string of_server = server->new_database("views");
  std::vector<std::string> texts;
  for (const std::string& url : {of_file, of_server}) {
    const std::string events_file = own / ("events-" + std::to_string(texts.size()) + ".jsonl");
    nights::TrackStore store = nights::TrackStore::open(url, {.events_file = events_file});
    nights::AlertLog log;
    const nights::EventNight night{
        .run = "n1", .utc = "2026-01-31T02:00:00Z", .host = "box", .experiment = "train"};
    std::vector<nights::TrackEvent> events = {nights::event_of(nights::SeriesEvent{
        .alert = "A1",
        .series = {.id = "s1", .change = {.size = 1}, .as_share = true, .usual = 1, .value = 2},
        .night = night})};
    nights::apply_event(log, events.front());
    events.push_back(nights::assign_alert(log.alerts.front(), "anna", ""));
    nights::apply_event(log, events.back());
    store.record(events, {.states = {{.host = "box",
                                      .experiment = "train",
                                      .series = "s1",
                                      .run = "n1",
                                      .state = "{}",
                                      .night = "{}"}},
                          .judged = {{.run = "n1",
                                      .series = "s1",
                                      .state = nights::NightState::kRegression,
                                      .change = 1,
                                      .reported = true,
                                      .alert = "A1"}}});
    EXPECT_THAT(store.states("box", "train"), SizeIs(1));
    EXPECT_THAT(store.judged_run("n1"), SizeIs(1));
    std::string text;
    const auto add_row = [&](nights::SqlRow row) {
      for (const nights::SqlValue& value : row) {
        if (const auto* words = std::get_if<std::string>(&value)) text += *words + ' ';
        if (const auto* whole = std::get_if<std::int64_t>(&value))
          text += std::to_string(*whole) + ' ';
        if (const auto* real = std::get_if<double>(&value)) text += std::to_string(*real) + ' ';
      }
    };
    const auto database = url == of_file
                              ? nights::open_sqlite(own / "history.db", {.run_schema = true})
                              : nights::Database::open(url);
    database->exec(
        "SELECT alert_id, state, host, experiment, opened_utc, series, assignee "
        "FROM alert",
        {}, add_row);
    database->exec("SELECT series_id, usual, value, change FROM alert_series", {}, add_row);
    texts.push_back(text);
  }
  EXPECT_EQ(texts[0],
            "A1 open box train 2026-01-31T02:00:00Z 1 anna s1 1.000000 2.000000 1.000000 ");
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(FleetTest, EightImporters_MakeOneHistory) {
  constexpr int kNights = 8;
  const std::string expected = in_peace(kNights);
  for (const std::string& url : {server->new_database("eight"), sqlite_url("eight")}) {
    for (int round = 0; round < 2; ++round) {
      std::vector<pid_t> children;
      for (int child = 0; child < 8; ++child) {
        children.push_back(in_process([&] {
          nights::TrackStore store = open(url);
          for (int i = 0; i < kNights; ++i) {
            const int day = 1 + (child * 3 + i) % kNights;
            store.add(testing_history::make(night_of(day)), "results/RUN");
          }
        }));
      }
      for (const pid_t child : children) EXPECT_EQ(end_of(child), 0) << url;
      EXPECT_EQ(text_of(open(url).history()), expected) << url;
    }
  }
}

TEST_F(FleetTest, KilledImport_IsCompletedByTheNext) {
  constexpr int kNights = 28;
  const std::string expected = in_peace(kNights);
  for (const std::string& url : {server->new_database("killed"), sqlite_url("killed")}) {
    (void)open(url);
    const pid_t child = in_process([&] {
      nights::TrackStore store = open(url);
      for (int day = 1; day <= kNights; ++day) {
        store.add(testing_history::make(night_of(day)), "results/RUN");
      }
    });
    std::size_t runs = 0;
    for (int look = 0; look < 2000 && runs < 3; ++look) {
      runs = open(url).runs().size();
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    ::kill(child, SIGKILL);
    end_of(child);
    nights::TrackStore store = open(url);
    for (const nights::SeriesHistory& one : store.history().series) {
      for (const nights::TrackedPoint& point : one.points) EXPECT_EQ(point.launches, 6);
    }
    if (url.starts_with("sqlite")) {
      std::string verdict;
      nights::Database::open(url)->exec("PRAGMA integrity_check", {}, [&](nights::SqlRow row) {
        verdict += std::get<std::string>(row[0]);
      });
      EXPECT_EQ(verdict, "ok");
    }
    for (int day = 1; day <= kNights; ++day) {
      store.add(testing_history::make(night_of(day)), "results/RUN");
    }
    EXPECT_EQ(text_of(store.history()), expected) << url;
  }
}

TEST_F(FleetTest, ClosedConnection_ReconnectsOnce) {
  const std::string url = server->new_database("ended");
  nights::TrackStore store = open(url);
  const std::string end_all =
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'ended'";
  nights::Database::open(server->url())->exec(end_all, {}, [](nights::SqlRow) {});
  EXPECT_EQ(store.add(testing_history::make(night_of(1)), "results/RUN").new_launches, 24U);
  nights::Database::open(server->url())->exec(end_all, {}, [](nights::SqlRow) {});
  EXPECT_THAT(store.history().runs, SizeIs(1));
}

// A host writes its event to its file, loses the server before the commit, and another host takes
// the number meanwhile.
TEST_F(FleetTest, LostCommit_IsRepeatedWithNewNumbers) {
  const std::string url = server->new_database("numbers");
  const std::string file = folder / "ours.jsonl";
  nights::TrackStore ours = nights::TrackStore::open(url, {.events_file = file});
  nights::TrackStore theirs = open(url);
  const os::Descriptor lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(::flock(lock.value(), LOCK_EX), 0);
  const nights::TrackEvent first{.what = "noted", .alert_id = "A1", .reason = "ours"};
  const nights::TrackEvent second{.what = "noted", .alert_id = "A1", .reason = "theirs"};
  std::thread recording([&] { EXPECT_NO_THROW(ours.record({&first, 1})); });
  const auto watch = nights::Database::open(server->url());
  for (std::int64_t ended = 0; ended == 0;) {
    watch->exec(
        "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity "
        "WHERE datname = 'numbers' AND state = 'idle in transaction'",
        {}, [&](nights::SqlRow row) { ended = std::get<std::int64_t>(row[0]); });
  }
  theirs.record({&second, 1});
  ::flock(lock.value(), LOCK_UN);
  recording.join();
  std::vector<std::string> rows;
  nights::Database::open(url)->exec(
      "SELECT seq, reason FROM event ORDER BY seq", {}, [&](nights::SqlRow row) {
        rows.push_back(std::to_string(std::get<std::int64_t>(row[0])) + ' ' +
                       std::get<std::string>(row[1]));
      });
  EXPECT_THAT(rows, ElementsAre("1 theirs", "2 ours"));
  EXPECT_THAT(nights::TrackStore::open(url, {.events_file = file}).events(), SizeIs(2));
}

TEST_F(FleetTest, ServerDown_ImportsNothing) {
  const std::string url = server->new_database("down");
  nights::TrackStore store = open(url);
  store.add(testing_history::make(night_of(1)), "results/RUN");
  server->stop();
  EXPECT_THAT([&] { store.add(testing_history::make(night_of(2)), "results/RUN"); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("no connection"), HasSubstr("postgresql://bench@127.0.0.1"))));
  server->start_again();
  EXPECT_THAT(open(url).runs(), SizeIs(1));
  store.add(testing_history::make(night_of(2)), "results/RUN");
  EXPECT_THAT(open(url).runs(), SizeIs(2));
}

TEST_F(FleetTest, NewerOrForeignSchema_IsRejected) {
  const std::string newer = server->new_database("newer");
  (void)open(newer);
  nights::Database::open(newer)->exec("UPDATE meta SET value = '99'");
  EXPECT_THROW((void)open(newer), ConfigError);
  const std::string other = server->new_database("other");
  nights::Database::open(other)->exec("CREATE TABLE recipes (v TEXT)");
  EXPECT_THROW((void)open(other), ConfigError);
  EXPECT_THAT(nights::Database::open(other)->tables(), ElementsAre("recipes"));
}

TEST_F(FleetTest, Message_HidesThePassword) {
  // A password with an unescaped @ or / is rejected before a part of it is read as a host.
  const auto expect = [](const char* url, const char* what, const char* secret) {
    EXPECT_THAT([&] { (void)nights::Database::open(url); },
                ThrowsMessage<ConfigError>(AllOf(HasSubstr(what), Not(HasSubstr(secret)))));
  };
  expect("postgresql://me:secret@127.0.0.1:1/x?password=secret", "postgresql://me@127.0.0.1:1/x",
         "secret");
  expect("postgresql://me:sec@ret@127.0.0.1:1/x", "write it as %", "ret");
  expect("postgresql://me:sec/ret@127.0.0.1:1/x", "write it as %", "ret");
}

// The process that serves one connection.
pid_t server_process(nights::Database& database) {
  pid_t pid = 0;
  database.exec("SELECT pg_backend_pid()", {}, [&](nights::SqlRow row) {
    pid = static_cast<pid_t>(std::get<std::int64_t>(row[0]));
  });
  return pid;
}

TEST_F(FleetTest, StoppedServer_TimesOut) {
  // Long enough for what the server does answer on a busy machine.
  const auto database =
      nights::open_postgres(server->url(), {.answer_limit = std::chrono::seconds(10)});
  const pid_t pid = server_process(*database);
  ASSERT_GT(pid, 0);
  {
    nights::Transaction transaction(*database);
    ASSERT_EQ(::kill(pid, SIGSTOP), 0);
    // More than the socket holds, so that even sending it would not end.
    const std::vector<nights::SqlValue> much = {std::string(std::size_t{32} << 20, 'x')};
    EXPECT_THAT([&] { database->exec("SELECT LENGTH($1)", much); },
                ThrowsMessage<ConfigError>(HasSubstr("the server has given no answer for 10 s")));
  }  // and the rollback does not hang
  EXPECT_THROW(database->exec("SELECT 1"), ConfigError);
  ::kill(pid, SIGCONT);
  database->reconnect();
  EXPECT_NE(server_process(*database), pid);
}

}  // namespace
}  // namespace stepbench
