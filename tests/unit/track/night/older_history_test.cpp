// SPDX-License-Identifier: Apache-2.0
// A history that an older version wrote: twelve quiet nights, and one that left a suspicion open
// which nobody measured.
#include <gmock/gmock.h>

#include <fstream>
#include <sstream>

#include "harness/campaign/check_night.h"
#include "harness/store/database.h"
#include "harness/store/sqlite.h"
#include "harness/text/utc.h"
#include "harness/track/track_store.h"
#include "tests/temporary_folder.h"

namespace stepbench::track {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr const char* kLastNight = "2026-02-13T02:16:59Z";

class OlderHistory : public ::testing::Test {
 protected:
  OlderHistory() {
    std::ifstream dump(std::string(STEPBENCH_SOURCE_DIR) +
                       "/tests/unit/track/night/data/history_schema_1.sql");
    auto database = store::Database::open(url_);
    database->exec("PRAGMA foreign_keys = OFF");  // its tables stand in the order of their names
    std::string statement;
    for (std::string line; std::getline(dump, line);) {
      statement += line + '\n';
      if (!line.ends_with(';')) continue;
      database->exec(statement);
      statement.clear();
    }
  }

  // The same two cases, as slow as in the last night, so many nights after it.
  void add_night(TrackStore& store, int later) {
    const History known = store.history();
    ImportedRun night{.run = known.runs.back()};
    night.run.started_utc =
        text::utc_text(*text::parse_utc(kLastNight) + std::chrono::hours(24 * later));
    night.run.run_id = "night-" + std::to_string(1000 + later);
    for (const SeriesHistory& one : known.series) {
      ImportedCase made{.case_id = one.series.case_id,
                        .workload = one.series.workload,
                        .options = one.series.options,
                        .machine = one.series.machine};
      for (int launch = 0; launch < 5; ++launch) {
        made.launches.push_back(
            {.values = {.launch = launch,
                        .steps = 5,
                        .values = {{std::string(kStepSeries), one.points.back().value}}},
             .cohort = one.points.back().cohort,
             .digest = std::to_string(launch)});
      }
      night.cases.push_back(std::move(made));
    }
    (void)store.add(Import{.runs = {night}});
    (void)campaign::check_night({.host = "box", .who = "ann@box", .now_utc = night.run.started_utc},
                                store, {});
  }

  [[nodiscard]] std::string asked(const std::string& sql) const {
    std::string text;
    // As people look at it.
    const auto database = store::open_sqlite(folder_ / "history.db", {.run_schema = true});
    database->exec(sql, {}, [&](store::SqlRow row) {
      for (const store::SqlValue& value : row) {
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

TEST_F(OlderHistory, IsBroughtForwardWithAllItsPoints) {
  TrackStore store = TrackStore::open(url_);
  const History history = store.history();
  ASSERT_THAT(history.series, SizeIs(2));
  EXPECT_THAT(history.series[0].points, SizeIs(13));
  EXPECT_EQ(history.series[0].series.unit, "ns");
  EXPECT_TRUE(history.series[0].series.screened);
  EXPECT_EQ(asked("SELECT value FROM meta WHERE key = 'schema_version'"), "2 ");
}

TEST_F(OlderHistory, ShowsItsAlertsInSql) {
  (void)TrackStore::open(url_);
  EXPECT_EQ(asked("SELECT alert_id, state, worse, host, experiment, opened_utc, series, assignee "
                  "FROM alert"),
            "A1 suspect 1 box nightly 2026-02-13T02:16:59Z 2 - ");
  EXPECT_EQ(asked("SELECT alert_id, series_id, last_good FROM alert_series ORDER BY series_id"),
            "A1 2d52a4a7f48e478a 20260212-021700-nightly "
            "A1 c27b596a754c989a 20260212-021700-nightly ");
}

TEST_F(OlderHistory, ItsStuckSuspicionEndsWithAReason) {
  TrackStore store = TrackStore::open(url_);
  for (int later = 1; later < static_cast<int>(kNightsToMeasure); ++later) add_night(store, later);
  EXPECT_EQ(fold_alerts(store.events()).find("A1")->state, AlertState::kSuspect);
  for (int later = 0; later < 2; ++later) add_night(store, kNightsToMeasure + later);
  const AlertLog log = fold_alerts(store.events());
  const Alert& alert = *log.find("A1");
  EXPECT_EQ(alert.state, AlertState::kUnmeasured);
  EXPECT_THAT(alert.note, HasSubstr("14 nights"));
  EXPECT_THAT(asked("SELECT state FROM alert WHERE alert_id = 'A1'"), HasSubstr("unmeasured"));
}

}  // namespace
}  // namespace stepbench::track
