// SPDX-License-Identifier: Apache-2.0
#include "harness/track/track_schema.h"

namespace stepbench::track {
namespace {

// Times are text, 2026-01-31T12:00:00Z. Keys begin with the run, whose id begins with its time: a
// night is appended to the end of each table, however long the history is.
std::vector<std::string> version_1(const store::Database& database) {
  const std::string keyed(database.keyed_table());
  return {
      "CREATE TABLE run (run_id TEXT PRIMARY KEY, started_at TEXT NOT NULL, name TEXT NOT NULL, "
      "build_id TEXT NOT NULL, git_sha TEXT NOT NULL, git_branch TEXT NOT NULL, "
      "git_dirty BIGINT NOT NULL, config_hash TEXT NOT NULL, plan_digest TEXT NOT NULL, "
      "host TEXT NOT NULL, folder TEXT NOT NULL, worker_path TEXT NOT NULL, "
      "config_path TEXT NOT NULL, config_text TEXT NOT NULL, asked TEXT NOT NULL, "
      "labels TEXT NOT NULL, context TEXT NOT NULL, environment TEXT NOT NULL)",

      "CREATE TABLE cohort (cohort_id TEXT PRIMARY KEY, fields TEXT NOT NULL)",

      "CREATE TABLE series (series_id TEXT PRIMARY KEY, workload TEXT NOT NULL, "
      "case_id TEXT NOT NULL, metric TEXT NOT NULL, unit TEXT NOT NULL, direction TEXT NOT NULL, "
      "options TEXT NOT NULL, machine TEXT NOT NULL, first_seen TEXT NOT NULL)",

      "CREATE TABLE launch (run_id TEXT NOT NULL REFERENCES run, case_id TEXT NOT NULL, "
      "arm TEXT NOT NULL, pass TEXT NOT NULL, launch BIGINT NOT NULL, rank BIGINT NOT NULL, "
      "attempt BIGINT NOT NULL, outcome TEXT NOT NULL, reason TEXT NOT NULL, "
      "steps BIGINT NOT NULL, cohort TEXT NOT NULL, line_digest TEXT NOT NULL, "
      "PRIMARY KEY (run_id, case_id, arm, pass, launch, rank)) " +
          keyed,

      // Of timing launches of rank 0: one number for each metric.
      "CREATE TABLE sample_summary (run_id TEXT NOT NULL, case_id TEXT NOT NULL, "
      "launch BIGINT NOT NULL, metric TEXT NOT NULL, value DOUBLE PRECISION NOT NULL, "
      "PRIMARY KEY (run_id, case_id, launch, metric)) " +
          keyed,

      "CREATE TABLE point (run_id TEXT NOT NULL REFERENCES run, "
      "series_id TEXT NOT NULL REFERENCES series, value DOUBLE PRECISION NOT NULL, "
      "n BIGINT NOT NULL, steps BIGINT NOT NULL, low DOUBLE PRECISION NOT NULL, "
      "high DOUBLE PRECISION NOT NULL, control DOUBLE PRECISION, cohort_id TEXT NOT NULL, "
      "state TEXT NOT NULL, PRIMARY KEY (run_id, series_id)) " +
          keyed,

      "CREATE TABLE event (event_id TEXT PRIMARY KEY, seq BIGINT NOT NULL, at TEXT NOT NULL, "
      "who TEXT NOT NULL, what TEXT NOT NULL, alert_id TEXT NOT NULL, from_state TEXT NOT NULL, "
      "to_state TEXT NOT NULL, reason TEXT NOT NULL, details TEXT NOT NULL)",

      "CREATE TABLE build (build_id TEXT NOT NULL, host TEXT NOT NULL, path TEXT NOT NULL, "
      "stored TEXT NOT NULL, PRIMARY KEY (build_id, host))",

      "CREATE TABLE claim (what TEXT PRIMARY KEY, who TEXT NOT NULL, until TEXT NOT NULL)",
  };
}

// What the events of an alert come to, for those who ask in SQL: the state stands in its last
// event, all else in the details of its first.
std::string alert_view(const store::Database& database) {
  const auto of_event = [](const std::string& value, const std::string& which,
                           const std::string& order) {
    return "(SELECT " + value + " FROM event x WHERE x.alert_id = a.alert_id" + which +
           " ORDER BY x.seq " + order + ", x.event_id " + order + " LIMIT 1)";
  };
  const auto detail = [&](const std::string& name) {
    return database.json_member("x.details", name);
  };
  const auto first = [&](const std::string& value) { return of_event(value, "", "ASC"); };
  const auto last = [&](const std::string& value, const std::string& what) {
    return of_event(value, " AND x.what = '" + what + "'", "DESC");
  };
  return "CREATE VIEW alert AS SELECT a.alert_id AS alert_id, " +
         of_event("x.to_state", " AND x.to_state <> ''", "DESC") + " AS state, " +
         first("CASE WHEN " + detail("worse") + " IN ('1', 'true') THEN 1 ELSE 0 END") +
         " AS worse, " + first(detail("host")) + " AS host, " + first(detail("experiment")) +
         " AS experiment, " + first(detail("night_utc")) +
         " AS opened_utc, MAX(a.at) AS changed_at, " +
         "COUNT(DISTINCT CASE WHEN a.what = 'fired' THEN " +
         database.json_member("a.details", "series") + " END) AS series, " +
         of_event("x.reason", " AND x.reason <> ''", "DESC") + " AS reason, " +
         last(detail("to"), "assigned") + " AS assignee FROM event a WHERE a.alert_id <> '' " +
         "GROUP BY a.alert_id";
}

// Each series of an alert, as it was when it joined, and what was measured of it last.
std::string alert_series_view(const store::Database& database) {
  const auto detail = [&](const std::string& of, const std::string& name) {
    return database.json_member(of + ".details", name);
  };
  const auto number = [&](const std::string& of, const std::string& name) {
    return "CAST(" + detail(of, name) + " AS DOUBLE PRECISION)";
  };
  const auto measured = [&](const std::string& name) {
    return "(SELECT " + number("m", name) + " FROM event m WHERE m.alert_id = a.alert_id AND " +
           "m.what = 'measured' AND " + detail("m", "series") + " = " + detail("a", "series") +
           " ORDER BY m.seq DESC, m.event_id DESC LIMIT 1)";
  };
  return "CREATE VIEW alert_series AS SELECT a.alert_id AS alert_id, " + detail("a", "series") +
         " AS series_id, " + detail("a", "first_bad") + " AS first_bad, " +
         detail("a", "last_good") + " AS last_good, " + number("a", "usual") + " AS usual, " +
         number("a", "value") + " AS value, " + number("a", "change") + " AS change, " +
         measured("change") + " AS measured_change, " + measured("low") + " AS measured_low, " +
         measured("high") + " AS measured_high FROM event a " +
         "WHERE a.alert_id <> '' AND a.what = 'fired'";
}

// Runs stand in front in the key of a point, because nights are added; people ask for series.
std::vector<std::string> version_2(const store::Database& database) {
  return {"CREATE INDEX point_of_series ON point (series_id, run_id)",
          "CREATE INDEX event_of_alert ON event (alert_id)", alert_view(database),
          alert_series_view(database)};
}

}  // namespace

std::span<const store::SchemaVersion> track_schema() {
  static const std::vector<store::SchemaVersion> versions = {version_1, version_2};
  return versions;
}

}  // namespace stepbench::track
