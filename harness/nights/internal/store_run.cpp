// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/store_run.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "harness/base/format.h"
#include "harness/nights/internal/schema.h"
#include "harness/nights/merged_cases.h"
#include "harness/stats/order_statistics.h"
#include "harness/text/printable.h"

namespace stepbench::nights {
namespace {

using LaunchNumber = std::pair<std::string, int>;  // case id, launch

const SqlInsert kCohorts{"cohort", {"cohort_id", "fields"}, "ON CONFLICT DO NOTHING"};
const SqlInsert kSeries{"series",
                        {"series_id", "workload", "case_id", "metric", "unit", "direction",
                         "options", "machine", "first_seen"},
                        "ON CONFLICT DO NOTHING"};
const SqlInsert kLaunches{"launch",
                          {"run_id", "case_id", "arm", "pass", "launch", "rank", "attempt",
                           "outcome", "reason", "steps", "cohort", "line_digest"},
                          ""};
const SqlInsert kValues{"sample_summary", {"run_id", "case_id", "launch", "metric", "value"}, ""};
const SqlInsert kPoints{
    "point",
    {"run_id", "series_id", "value", "n", "steps", "low", "high", "control", "cohort_id", "state"},
    "ON CONFLICT (run_id, series_id) DO UPDATE SET value = excluded.value, n = excluded.n, "
    "steps = excluded.steps, low = excluded.low, high = excluded.high, "
    "control = excluded.control, cohort_id = excluded.cohort_id, state = excluded.state"};
const std::string kControlState = "control";

template <typename... Values>
void append(std::vector<SqlValue>& row, Values&&... values) {
  (row.emplace_back(std::forward<Values>(values)), ...);
}

struct KnownRun {  // key columns of a run's row
  std::string host, config_hash, build_id, folder;
};

struct KnownLaunch {
  int attempt = 0;
  std::string digest = {};
};

class RunWriter {
 public:
  RunWriter(Database& database, const ImportedRun& run, const MergedCases& merged,
            KnownSeries& known)
      : database_(database), run_(run), merged_(merged), known_series_(known) {}

  ImportReport write(std::span<const Cohort> cohorts) {
    std::vector<const ImportedCase*> changed;
    const bool claimed = claim_run();
    for (const ImportedCase& one : run_.cases) {
      if (claimed && take_launches(one)) changed.push_back(&one);
    }
    if (!changed.empty()) {
      write_cohorts(cohorts);
      database_.insert(kLaunches, launches_);
      database_.insert(kValues, values_);
      write_points(changed);
    }
    if (stored_.new_launches + stored_.known_launches > 0) stored_.runs = {run_id_};
    return std::move(stored_);
  }

 private:
  // Inserts or finds the run's row, which locks the run for this process. Returns false if the key
  // belongs to another run.
  bool claim_run() {
    const TrackedRun& run = run_.run;
    std::string base = run.run_id;
    run_id_ = base;
    for (int number = 2;;) {
      const KnownRun known = put_run_row();
      if (!run_.is_shard && known.host != run.host && run_id_ == run.run_id) {
        run_id_ = base = run.run_id + "@" + run.host;
        continue;
      }
      read_known();
      const bool same_plan = known.config_hash == run.config_hash && known.build_id == run.build_id;
      if (known.folder != run.folder && !run_.is_shard && (!same_plan || differs_throughout())) {
        run_id_ = formatted("{}-{}", base, number++);
        continue;
      }
      const auto differs = [&](const std::string& what, const std::string& before,
                               const std::string& here) {
        if (before == here) return false;
        stored_.conflicts.push_back(
            formatted("run {} is known with another {} ({}, here {}): the stored one was kept",
                      run.run_id, what, text::printable(before), text::printable(here)));
        return true;
      };
      return !differs("configuration", known.config_hash, run.config_hash) &&
             !differs("build", known.build_id, run.build_id);
    }
  }

  // Returns whether launches with the same numbers are known but none has the same content.
  [[nodiscard]] bool differs_throughout() const {
    bool any = false;
    for (const ImportedCase& one : run_.cases) {
      for (const ImportedLaunch& launch : one.launches) {
        const auto known = known_.find({one.case_id, launch.values.launch});
        if (known == known_.end()) continue;
        if (known->second.digest == launch.digest) return false;
        any = true;
      }
    }
    return any;
  }

  KnownRun put_run_row() {
    const TrackedRun& run = run_.run;
    std::vector<SqlValue> row;
    append(row, run_id_, run.started_utc, run.experiment, run.build_id, run.git_sha, run.git_branch,
           std::int64_t{run.git_dirty}, run.config_hash, run.plan_digest, run.host, run.folder,
           run.worker_path, run.config_path, run.config_text, asked_json(run.asked),
           fields_json(run.labels), fields_json(run.context), fields_json(run.environment));
    KnownRun known;
    database_.exec(
        "INSERT INTO run (run_id, started_at, name, build_id, git_sha, git_branch, git_dirty, "
        "config_hash, plan_digest, host, folder, worker_path, config_path, config_text, asked, "
        "labels, context, environment) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, "
        "$13, $14, $15, $16, $17, $18) ON CONFLICT (run_id) DO UPDATE SET run_id = excluded.run_id "
        "RETURNING host, config_hash, build_id, folder",
        row, [&](SqlRow found) {
          known = {std::get<std::string>(found[0]), std::get<std::string>(found[1]),
                   std::get<std::string>(found[2]), std::get<std::string>(found[3])};
        });
    return known;
  }

  void read_known() {
    known_.clear();
    const SqlValue id = run_id_;
    database_.exec("SELECT case_id, launch, attempt, line_digest FROM launch WHERE run_id = $1",
                   {&id, 1}, [&](SqlRow row) {
                     const LaunchNumber number(std::get<std::string>(row[0]),
                                               static_cast<int>(std::get<std::int64_t>(row[1])));
                     known_[number] = {static_cast<int>(std::get<std::int64_t>(row[2])),
                                       std::get<std::string>(row[3])};
                   });
  }

  // Returns whether any launch is new.
  bool take_launches(const ImportedCase& one) {
    bool any = false;
    for (const ImportedLaunch& launch : one.launches) {
      const int number = launch.values.launch;
      const auto known = known_.find({one.case_id, number});
      if (known != known_.end()) {
        if (known->second.digest == launch.digest) {
          ++stored_.known_launches;
          continue;
        }
        if (launch.attempt <= known->second.attempt) {
          stored_.conflicts.push_back(formatted(
              "launch {} of case {} of run {} is known with other content: the stored one was kept",
              number, one.case_id, run_.run.run_id));
          continue;
        }
        forget(one.case_id, number);
      }
      put_launch(one, launch);
      any = true;
    }
    return any;
  }

  void forget(const std::string& case_id, int number) {
    const std::vector<SqlValue> key = {run_id_, case_id, std::int64_t{number}};
    database_.exec("DELETE FROM launch WHERE run_id = $1 AND case_id = $2 AND launch = $3", key);
    database_.exec("DELETE FROM sample_summary WHERE run_id = $1 AND case_id = $2 AND launch = $3",
                   key);
  }

  void put_launch(const ImportedCase& one, const ImportedLaunch& launch) {
    const std::int64_t number = launch.values.launch;
    append(launches_, run_id_, one.case_id, std::string(), std::string(name_of(Pass::kTiming)),
           number, std::int64_t{0}, std::int64_t{launch.attempt},
           std::string(name_of(launch.outcome.kind)), launch.outcome.reason, launch.values.steps,
           launch.cohort, launch.digest);
    for (const auto& [metric, value] : launch.values.values) {
      append(values_, run_id_, one.case_id, number, metric, value);
    }
    ++stored_.new_launches;
  }

  void write_cohorts(std::span<const Cohort> cohorts) {
    std::set<std::string> used;
    for (const ImportedCase& one : run_.cases) {
      for (const ImportedLaunch& launch : one.launches) used.insert(launch.cohort);
    }
    std::vector<SqlValue> rows;
    for (const Cohort& cohort : cohorts) {
      if (used.contains(cohort.id)) append(rows, cohort.id, fields_json(cohort.fields));
    }
    database_.insert(kCohorts, rows);
  }

  // All measured launches of the case in the history, and the cohort of the last one.
  std::vector<LaunchValues> all_launches(const ImportedCase& one, std::string& cohort) {
    const bool some_known = std::any_of(known_.begin(), known_.end(), [&](const auto& each) {
      return each.first.first == one.case_id;
    });
    std::vector<LaunchValues> launches;
    if (!some_known) {
      for (const ImportedLaunch& launch : one.launches) {
        if (launch.values.values.empty()) continue;
        launches.push_back(launch.values);
        cohort = launch.cohort;
      }
      return launches;
    }
    const std::vector<SqlValue> key = {run_id_, one.case_id};
    database_.exec(
        "SELECT l.launch, l.steps, l.cohort, s.metric, s.value FROM launch l JOIN sample_summary s "
        "ON s.run_id = l.run_id AND s.case_id = l.case_id AND s.launch = l.launch "
        "WHERE l.run_id = $1 AND l.case_id = $2 ORDER BY l.launch, s.metric",
        key, [&](SqlRow row) {
          const auto number = static_cast<int>(std::get<std::int64_t>(row[0]));
          if (launches.empty() || launches.back().launch != number) {
            launches.push_back({.launch = number, .steps = std::get<std::int64_t>(row[1])});
          }
          cohort = std::get<std::string>(row[2]);
          launches.back().values.emplace(std::get<std::string>(row[3]), std::get<double>(row[4]));
        });
    return launches;
  }

  void write_points(const std::vector<const ImportedCase*>& changed) {
    // Same order in every process, to prevent deadlocks.
    std::map<std::string, TrackedSeries> series;
    const std::optional<double> control = control_value();
    std::vector<SqlValue> rows;
    for (const ImportedCase* one : changed) {
      std::string cohort;
      const std::vector<LaunchValues> launches = all_launches(*one, cohort);
      for (const CasePoint& point : case_points(launches)) {
        TrackedSeries of = standing(series_of(*one, point.metric));
        append(rows, run_id_, of.id, point.value, point.launches, point.steps, point.low,
               point.high, control ? SqlValue{*control} : SqlValue{}, cohort,
               one->control ? kControlState : std::string());
        ++stored_.points;
        if (known_series_.insert(of.id).second) series.emplace(of.id, std::move(of));
      }
    }
    std::vector<SqlValue> names;
    for (const auto& [id, each] : series) {
      append(names, id, each.workload, each.case_id, each.metric, each.unit,
             std::string(name_of(each.direction)), fields_json(Fields(each.options)),
             fields_json(each.machine), run_.run.started_utc);
    }
    database_.insert(kSeries, names);
    database_.insert(kPoints, rows);
    if (control && !known_.empty()) {
      database_.exec("UPDATE point SET control = $2 WHERE run_id = $1",
                     std::vector<SqlValue>{run_id_, *control});
    }
  }

  // A run that measured both cases of a merge keeps them apart.
  [[nodiscard]] TrackedSeries standing(TrackedSeries series) const {
    TrackedSeries other = merged_.standing(series);
    const bool both =
        other.id != series.id && std::ranges::any_of(run_.cases, [&](const ImportedCase& one) {
          return one.case_id == other.case_id;
        });
    return both ? std::move(series) : std::move(other);
  }

  // The step of the run's control case; with several, that of the first by id.
  std::optional<double> control_value() {
    const ImportedCase* control = nullptr;
    for (const ImportedCase& one : run_.cases) {
      if (one.control && (control == nullptr || one.case_id < control->case_id)) control = &one;
    }
    if (control == nullptr) return known_control();
    std::string cohort;
    for (const CasePoint& point : case_points(all_launches(*control, cohort))) {
      if (point.metric == kStepSeries) return point.value;
    }
    return std::nullopt;
  }

  // From an earlier part of the run.
  std::optional<double> known_control() {
    std::optional<double> known;
    if (known_.empty()) return known;
    const SqlValue id = run_id_;
    database_.exec("SELECT MAX(control) FROM point WHERE run_id = $1", {&id, 1}, [&](SqlRow row) {
      if (const auto* value = std::get_if<double>(&row[0])) known = *value;
    });
    return known;
  }

  Database& database_;
  const ImportedRun& run_;
  const MergedCases& merged_;
  KnownSeries& known_series_;
  ImportReport stored_ = {};
  std::string run_id_ = {};
  std::map<LaunchNumber, KnownLaunch> known_;
  std::vector<SqlValue> launches_;
  std::vector<SqlValue> values_;
};

}  // namespace

ImportReport store_run(Database& database, const ImportedRun& run, std::span<const Cohort> cohorts,
                       const MergedCases& merged, KnownSeries& known) {
  return RunWriter(database, run, merged, known).write(cohorts);
}

void move_points(Database& database, const MergedCase& merged) {
  struct Move {
    std::string from = {};
    std::string into = {};
  };
  std::vector<Move> moves;
  std::vector<SqlValue> rows;
  const SqlValue from = merged.from;
  const std::string options = fields_json(Fields(merged.options));
  database.exec(
      "SELECT series_id, workload, metric, unit, direction, machine, first_seen FROM series WHERE "
      "case_id = $1 ORDER BY series_id",
      {&from, 1}, [&](SqlRow row) {
        const auto text = [&](std::size_t column) { return std::get<std::string>(row[column]); };
        TrackedSeries series{.workload = text(1),
                             .case_id = merged.into,
                             .metric = text(2),
                             .machine = fields_from_json(text(5))};
        series.id = series_id(series);
        append(rows, series.id, series.workload, series.case_id, series.metric, text(3), text(4),
               options, text(5), text(6));
        moves.push_back({text(0), series.id});
      });
  database.insert(kSeries, rows);
  for (const Move& move : moves) {
    const std::vector<SqlValue> ids = {move.from, move.into};
    database.exec(
        "UPDATE point SET series_id = $2 WHERE series_id = $1 AND run_id NOT IN "
        "(SELECT run_id FROM point WHERE series_id = $2)",
        ids);
    database.exec(
        "UPDATE judged SET series_id = $2 WHERE series_id = $1 AND run_id NOT IN "
        "(SELECT run_id FROM judged WHERE series_id = $2)",
        ids);
    // If both series were judged, the target keeps its own level.
    database.exec(
        "UPDATE series_state SET series_id = $2 WHERE series_id = $1 AND NOT EXISTS "
        "(SELECT 1 FROM series_state s WHERE s.series_id = $2 AND s.host = series_state.host AND "
        "s.experiment = series_state.experiment)",
        ids);
  }
}

}  // namespace stepbench::nights
