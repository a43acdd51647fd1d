// SPDX-License-Identifier: Apache-2.0
// Histories written by older versions: for the first, twelve quiet nights and a suspicion that
// nobody confirmed; for the second, seven quiet nights with a reference program, and two of 12 %
// that were reported.
#include "harness/nights/internal/database.h"
#include "harness/nights/internal/sqlite.h"
#include "harness/nights/internal/track_store.h"
#include "harness/nights/night_store.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::nights {
namespace {

using nights::TrackStore;

class OlderHistory : public ::testing::Test {
 protected:
  void write(const std::string& dump) {
    std::ifstream file(std::string(STEPBENCH_SOURCE_DIR) + "/tests/unit/nights/data/" + dump);
    auto database = nights::Database::open(url_);
    database->exec("PRAGMA foreign_keys = OFF");  // the dump orders its tables by name
    std::string statement;
    for (std::string line; std::getline(file, line);) {
      statement += line + '\n';
      if (!line.ends_with(';')) continue;
      database->exec(statement);
      statement.clear();
    }
  }

  [[nodiscard]] std::string asked(const std::string& sql) const {
    std::string text;
    // Opened with the schema of views for people.
    const auto database = nights::open_sqlite(folder_ / "history.db", {.run_schema = true});
    database->exec(sql, {}, [&](nights::SqlRow row) {
      for (const nights::SqlValue& value : row) {
        const auto* whole = std::get_if<std::int64_t>(&value);
        const auto* words = std::get_if<std::string>(&value);
        text += (whole != nullptr ? std::to_string(*whole) : words != nullptr ? *words : "-") + ' ';
      }
    });
    return text;
  }

  test::TemporaryFolder folder_;
  std::string url_ = "sqlite:" + (folder_ / "history.db").string();
};

TEST_F(OlderHistory, FirstVersion_KeepsItsPoints) {
  write("history_schema_1.sql");
  TrackStore store = TrackStore::open(url_);
  const nights::History history = store.history();
  ASSERT_THAT(history.series, SizeIs(2));
  EXPECT_THAT(history.series[0].points, SizeIs(13));
  EXPECT_EQ(history.series[0].series.unit, "ns");
  EXPECT_EQ(asked("SELECT value FROM meta WHERE key = 'schema_version'"), "3 ");
  EXPECT_TRUE(fs::exists(folder_ / "history.db.schema1")) << "a copy, once";
}

TEST_F(OlderHistory, FirstVersion_ClosesItsSuspicion) {
  write("history_schema_1.sql");
  TrackStore store = TrackStore::open(url_);
  const AlertLog log = fold_alerts(store.events());
  const Alert& alert = *log.find("A1");
  EXPECT_EQ(alert.state, AlertState::kClosed);
  EXPECT_THAT(alert.note, HasSubstr("suspicions are judged by the pairs of each night"));
  EXPECT_EQ(asked("SELECT alert_id, state, host, experiment, opened_utc, series, assignee FROM "
                  "alert"),
            "A1 closed box nightly 2026-02-13T02:16:59Z 2 - ");
  EXPECT_EQ(asked("SELECT alert_id, series_id, last_good FROM alert_series ORDER BY series_id"),
            "A1 2d52a4a7f48e478a 20260212-021700-nightly "
            "A1 c27b596a754c989a 20260212-021700-nightly ");
  EXPECT_EQ(load_states(store, "box", "nightly").size(), 0U) << "values alone have no level";
}

TEST_F(OlderHistory, SecondVersion_KeepsReferenceAndAlert) {
  write("history_schema_2.sql");
  TrackStore store = TrackStore::open(url_);
  const std::size_t events = store.events().size();
  const AlertLog log = fold_alerts(store.events());
  ASSERT_THAT(log.alerts, SizeIs(1));
  EXPECT_EQ(log.alerts[0].state, AlertState::kOpen);
  EXPECT_THAT(log.alerts[0].series, SizeIs(2));
  const std::vector<nights::TrackedRun> runs = store.runs();
  const StoredReference kept = stored_reference(store, "box", "nightly");
  EXPECT_EQ(kept.run, runs.front().run_id);
  EXPECT_EQ(kept.build, runs.front().build_id);
  EXPECT_EQ(rebuild(store, "box"), 8U) << "the first night had no reference";
  EXPECT_EQ(store.events().size(), events);
  for (const auto& [series, state] : load_states(store, "box", "nightly")) {
    if (!log.alerts[0].find(series)) continue;
    ASSERT_TRUE(state.open) << series;
    EXPECT_EQ(state.open->alert, "A1");
    EXPECT_TRUE(state.open->can_be_measured) << "the reference is kept";
    EXPECT_NEAR(state.open->size, .113, .02);
  }
}

}  // namespace
}  // namespace stepbench::nights
