// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/night_rows.h"

namespace stepbench::nights {
namespace {

std::vector<JudgedRow> load_judged(Database& database, const std::string& which, SqlRow args) {
  std::vector<JudgedRow> rows;
  const auto number = [](const SqlValue& value) -> std::optional<double> {
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return std::nullopt;
  };
  database.exec(
      "SELECT j.run_id, j.series_id, j.state, j.ratio, j.change, j.low, j.high, j.told, "
      "j.alert_id, p.value FROM judged j LEFT JOIN point p ON p.run_id = j.run_id AND "
      "p.series_id = j.series_id " +
          which,
      args, [&](SqlRow row) {
        rows.push_back(
            {.run = std::get<std::string>(row[0]),
             .series = std::get<std::string>(row[1]),
             .state =
                 one_of<NightState>(std::get<std::string>(row[2])).value_or(NightState::kNoVerdict),
             .ratio = number(row[3]),
             .change = number(row[4]),
             .low = number(row[5]),
             .high = number(row[6]),
             .reported = std::get<std::int64_t>(row[7]) != 0,
             .alert = std::get<std::string>(row[8]),
             .value = number(row[9])});
      });
  return rows;
}

}  // namespace

void insert_night_rows(Database& database, const NightRows& rows) {
  static const SqlInsert kStates{
      "series_state",
      {"host", "experiment", "series_id", "run_id", "state", "night"},
      "ON CONFLICT (host, experiment, series_id) DO UPDATE SET run_id = excluded.run_id, "
      "state = excluded.state, night = excluded.night"};
  static const SqlInsert kJudged{
      "judged",
      {"run_id", "series_id", "state", "ratio", "change", "low", "high", "told", "alert_id"},
      "ON CONFLICT (run_id, series_id) DO UPDATE SET state = excluded.state, "
      "ratio = excluded.ratio, change = excluded.change, low = excluded.low, "
      "high = excluded.high, told = excluded.told, alert_id = excluded.alert_id"};
  const auto number = [](const std::optional<double>& value) {
    return value ? SqlValue(*value) : SqlValue();
  };
  std::vector<SqlValue> values;
  for (const StateRow& one : rows.states) {
    // One by one: a list would copy the long texts twice.
    for (const auto of : {&StateRow::host, &StateRow::experiment, &StateRow::series, &StateRow::run,
                          &StateRow::state, &StateRow::night}) {
      values.emplace_back(one.*of);
    }
  }
  database.insert(kStates, values);
  values.clear();
  for (const JudgedRow& one : rows.judged) {
    values.insert(values.end(), {one.run, one.series, std::string(name_of(one.state)),
                                 number(one.ratio), number(one.change), number(one.low),
                                 number(one.high), std::int64_t{one.reported}, one.alert});
  }
  database.insert(kJudged, values);
}

std::vector<StateRow> load_states(Database& database, const std::string& host,
                                  const std::string& experiment) {
  const std::vector<SqlValue> of = {host, experiment};
  std::vector<StateRow> rows;
  database.exec(
      "SELECT series_id, run_id, state, night FROM series_state WHERE host = $1 AND "
      "experiment = $2 ORDER BY series_id",
      of, [&](SqlRow row) {
        rows.push_back({.host = host,
                        .experiment = experiment,
                        .series = std::get<std::string>(row[0]),
                        .run = std::get<std::string>(row[1]),
                        .state = std::get<std::string>(row[2]),
                        .night = std::get<std::string>(row[3])});
      });
  return rows;
}

std::vector<JudgedRow> load_judged_series(Database& database, const std::string& series,
                                          const std::string& host) {
  const std::vector<SqlValue> of = {series, host};
  return load_judged(database,
                     "JOIN run r ON r.run_id = j.run_id WHERE j.series_id = $1 AND r.host = $2 "
                     "ORDER BY r.started_at, j.run_id",
                     of);
}

std::vector<JudgedRow> load_judged_run(Database& database, const std::string& run) {
  const SqlValue id = run;
  return load_judged(database, "WHERE j.run_id = $1 ORDER BY j.series_id", {&id, 1});
}

}  // namespace stepbench::nights
