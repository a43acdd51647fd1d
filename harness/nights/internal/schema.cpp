// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/schema.h"

#include <algorithm>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/nights/internal/database.h"
#include "harness/os/text_file.h"
#include "harness/record/fields.h"
#include "harness/text/printable.h"

namespace stepbench::nights {
namespace {

constexpr const char* kMetaTable =
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)";

// 0: empty database.
std::size_t version_of(Database& database) {
  const std::vector<std::string> tables = database.tables();
  if (tables.empty()) return 0;
  std::string text;
  if (std::find(tables.begin(), tables.end(), "meta") != tables.end()) {
    database.exec("SELECT value FROM meta WHERE key = 'schema_version'", {}, [&](SqlRow row) {
      if (const auto* value = std::get_if<std::string>(&row[0])) text = *value;
    });
  }
  const auto version = os::parse_integer(text);
  if (!version || *version < 1 || std::to_string(*version) != text) {
    throw ConfigError(database.name(),
                      formatted("is not a history of stepbench (it has the table '{}')",
                                text::printable(tables.front())));
  }
  return static_cast<std::size_t>(*version);
}

void refuse_newer(const Database& database, std::size_t version, std::size_t known) {
  if (version <= known) return;
  throw ConfigError(database.name(),
                    formatted("was written in schema version {}; this program knows versions up to "
                              "{}: use the stepbench that wrote it, or a newer one",
                              version, known));
}

}  // namespace

void migrate(Database& database, std::span<const SchemaVersion> versions) {
  const std::size_t now = version_of(database);
  refuse_newer(database, now, versions.size());
  if (now == versions.size()) return;
  if (now > 0) database.make_backup(formatted(".schema{}", now));
  Transaction transaction(database);
  database.lock_schema();
  // Another process may have upgraded it meanwhile.
  const std::size_t from = version_of(database);
  refuse_newer(database, from, versions.size());
  if (from == 0) database.exec(kMetaTable);
  for (std::size_t version = from; version < versions.size(); ++version) {
    for (const std::string& statement : versions[version](database)) database.exec(statement);
  }
  const SqlValue reached = std::to_string(versions.size());
  database.exec(
      "INSERT INTO meta (key, value) VALUES ('schema_version', $1) "
      "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
      {&reached, 1});
  transaction.commit();
}

namespace {

// Times are text, e.g. 2026-01-31T12:00:00Z. Keys begin with the run, whose id begins with its
// time, so that a night is appended to the end of each table, however long the history is.
std::vector<std::string> version_1(const Database& database) {
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

      // Timing launches of rank 0: one number per metric.
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

// Current state of an alert, computed from its events, for SQL users. States written before version
// 3 are mapped to the current names.
std::string alert_view(const Database& database) {
  const auto of_event = [](const std::string& value, const std::string& which,
                           const std::string& order) {
    return formatted(
        "(SELECT {} FROM event x WHERE x.alert_id = a.alert_id{} ORDER BY x.seq {}, x.event_id {} "
        "LIMIT 1)",
        value, which, order, order);
  };
  const auto detail = [&](const std::string& name) {
    return database.json_member("x.details", name);
  };
  const auto first = [&](const std::string& value) { return of_event(value, "", "ASC"); };
  return formatted(
      "CREATE VIEW alert AS SELECT a.alert_id AS alert_id, {} AS state, {} AS host, {} AS "
      "experiment, {} AS opened_utc, MAX(a.at) AS changed_at, COUNT(DISTINCT CASE WHEN a.what IN "
      "('told', 'fired') THEN {} END) AS series, {} AS reason, {} AS assignee FROM event a WHERE "
      "a.alert_id <> '' GROUP BY a.alert_id",
      of_event("CASE WHEN x.to_state IN ('open', 'accepted', 'fixed', 'closed') THEN x.to_state "
               "WHEN x.to_state = 'regression' THEN 'open' WHEN x.to_state = 'acknowledged' THEN "
               "'accepted' ELSE 'closed' END",
               " AND x.to_state <> ''", "DESC"),
      first(detail("host")), first(detail("experiment")), first(detail("night_utc")),
      database.json_member("a.details", "series"),
      of_event("x.reason", " AND x.reason <> ''", "DESC"),
      of_event(detail("to"), " AND x.what = 'assigned'", "DESC"));
}

// Each series of an alert, as it was when it was reported.
std::string alert_series_view(const Database& database) {
  const auto detail = [&](const std::string& name) {
    return database.json_member("a.details", name);
  };
  const auto number = [&](const std::string& name) {
    return formatted("CAST({} AS DOUBLE PRECISION)", detail(name));
  };
  return formatted(
      "CREATE VIEW alert_series AS SELECT a.alert_id AS alert_id, {} AS series_id, {} AS "
      "first_bad, {} AS last_good, {} AS usual, {} AS value, {} AS change FROM event a WHERE "
      "a.alert_id <> '' AND a.what IN ('told', 'fired')",
      detail("series"), detail("first_bad"), detail("last_good"), number("usual"), number("value"),
      number("change"));
}

// The key of a point begins with its run, for adding nights; queries by series need an index.
std::vector<std::string> version_2(const Database& database) {
  return {"CREATE INDEX point_of_series ON point (series_id, run_id)",
          "CREATE INDEX event_of_alert ON event (alert_id)", alert_view(database),
          alert_series_view(database)};
}

// States for the next night, and results of nights. Both can be rebuilt from events.
std::vector<std::string> version_3(const Database& database) {
  return {
      "DROP TABLE claim",
      "DROP VIEW alert_series",
      "DROP VIEW alert",
      alert_view(database),
      alert_series_view(database),
      "CREATE INDEX event_by_seq ON event (what, seq)",

      "CREATE TABLE series_state (host TEXT NOT NULL, experiment TEXT NOT NULL, "
      "series_id TEXT NOT NULL, run_id TEXT NOT NULL, state TEXT NOT NULL, night TEXT NOT NULL, "
      "PRIMARY KEY (host, experiment, series_id))",

      "CREATE TABLE judged (run_id TEXT NOT NULL, series_id TEXT NOT NULL, state TEXT NOT NULL, "
      "ratio DOUBLE PRECISION, change DOUBLE PRECISION, low DOUBLE PRECISION, "
      "high DOUBLE PRECISION, told BIGINT NOT NULL, alert_id TEXT NOT NULL, "
      "PRIMARY KEY (run_id, series_id)) " +
          std::string(database.keyed_table()),
      "CREATE INDEX judged_of_series ON judged (series_id, run_id)",
  };
}

}  // namespace

std::span<const SchemaVersion> track_schema() {
  static const std::vector<SchemaVersion> versions = {version_1, version_2, version_3};
  return versions;
}

namespace {

template <typename Read>
auto read_json(const std::string& json, const Read& read) {
  try {
    json::LineParser parser;
    return read(parser.parse(json, json::LineParser::Padding::kNone).object);
  } catch (const json::LineError& error) {
    throw DamagedRow(error.what());
  }
}

}  // namespace

std::string fields_json(const Fields& fields) { return json::JsonText().values({}, fields).take(); }

std::string asked_json(const record::CommandLine& asked) { return json::object_text(asked); }

Fields fields_from_json(const std::string& json) {
  return read_json("{\"fields\":" + json + "}", [](const json::LineObject& object) -> Fields {
    return object.fields("fields");
  });
}

record::CommandLine asked_from_json(const std::string& json) {
  return read_json(
      json, [](const json::LineObject& object) { return json::read<record::CommandLine>(object); });
}

}  // namespace stepbench::nights
