// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/internal/load_history.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <unordered_map>

#include "harness/nights/internal/schema.h"

namespace stepbench::nights {
namespace {

struct ViewHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>()(text);
  }
};
using Index = std::unordered_map<std::string, std::size_t, ViewHash, std::equal_to<>>;

// Up to this number, looking up series is cheaper than reading all points.
constexpr std::size_t kFewSeries = 16;

constexpr std::string_view kPointColumns =
    "SELECT run_id, series_id, value, n, steps, low, high, control, cohort_id, state FROM point";

const std::string& text_at(SqlRow row, std::size_t column) {
  return std::get<std::string>(row[column]);
}

// An integral value may be returned as an integer.
double real_at(SqlRow row, std::size_t column) {
  if (const auto* whole = std::get_if<std::int64_t>(&row[column])) {
    return static_cast<double>(*whole);
  }
  return std::get<double>(row[column]);
}

bool wanted(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

Direction direction_of(std::string_view name) {
  return one_of<Direction>(name).value_or(Direction::kLowerIsBetter);
}

TrackedPoint point_of_row(SqlRow row, std::size_t run) {
  TrackedPoint point{.run = run,
                     .value = real_at(row, 2),
                     .low = real_at(row, 5),
                     .high = real_at(row, 6),
                     .launches = std::get<std::int64_t>(row[3]),
                     .steps = std::get<std::int64_t>(row[4]),
                     .cohort = text_at(row, 8)};
  if (!std::holds_alternative<std::monostate>(row[7])) point.control = real_at(row, 7);
  return point;
}

void sort_by_run(std::vector<TrackedPoint>& points) {
  std::sort(points.begin(), points.end(),
            [](const TrackedPoint& a, const TrackedPoint& b) { return a.run < b.run; });
}

std::vector<Cohort> load_cohorts(Database& database, const std::set<std::string>& used) {
  std::vector<Cohort> cohorts;
  database.exec("SELECT cohort_id, fields FROM cohort", {}, [&](SqlRow row) {
    if (!used.contains(text_at(row, 0))) return;
    cohorts.push_back({text_at(row, 0), fields_from_json(text_at(row, 1))});
  });
  std::sort(cohorts.begin(), cohorts.end(),
            [](const Cohort& a, const Cohort& b) { return a.id < b.id; });
  return cohorts;
}

void load_points_of(Database& database, const std::string& series, const Database::OnRow& on_row) {
  const SqlValue key = series;
  database.exec(std::string(kPointColumns) + " WHERE series_id = $1", {&key, 1}, on_row);
}

class Loader {
 public:
  Loader(Database& database, const HistoryQuery& query) : database_(database), query_(query) {}

  History take() {
    load_the_runs();
    load_series();
    load_points();
    finish();
    return std::move(history_);
  }

 private:
  void load_the_runs() {
    for (TrackedRun& run : load_runs(database_)) {
      if (!wanted(query_.experiments, run.experiment)) continue;
      if (!query_.host.empty() && run.host != query_.host) continue;
      runs_.emplace(run.run_id, history_.runs.size());
      history_.runs.push_back(std::move(run));
    }
  }

  // Ids of series with a point in one of the query's runs.
  std::set<std::string> series_of_runs() {
    std::set<std::string> ids;
    for (const std::string& run : query_.runs) {
      const SqlValue id = run;
      database_.exec("SELECT series_id FROM point WHERE run_id = $1", {&id, 1},
                     [&](SqlRow row) { ids.insert(text_at(row, 0)); });
    }
    return ids;
  }

  void load_series() {
    const std::set<std::string> of_runs = series_of_runs();
    database_.exec(
        "SELECT series_id, workload, case_id, metric, options, machine, unit, direction "
        "FROM series",
        {}, [&](SqlRow row) {
          const std::string& id = text_at(row, 0);
          if (!wanted(query_.series, id)) return;
          if (!query_.runs.empty() && !of_runs.contains(id)) return;
          SeriesHistory one;
          one.series = {.id = id,
                        .workload = text_at(row, 1),
                        .case_id = text_at(row, 2),
                        .metric = text_at(row, 3),
                        .unit = text_at(row, 6),
                        .direction = direction_of(text_at(row, 7)),
                        .monitored = is_monitored(text_at(row, 3)),
                        .options = OptionValues(fields_from_json(text_at(row, 4))),
                        .machine = fields_from_json(text_at(row, 5))};
          series_.emplace(id, history_.series.size());
          history_.series.push_back(std::move(one));
        });
  }

  void load_points() {
    last_run_ = runs_.end();
    is_control_.resize(history_.series.size());
    const auto on_row = [&](SqlRow row) { take_point(row); };
    if (query_.last == 1 && query_.host.empty() && query_.experiments.empty()) {
      // The newest point of each series: run ids begin with their time. With this table order each
      // takes two look-ups; SQLite's own choice would read all points.
      database_.exec(
          "SELECT point.run_id, point.series_id, value, n, steps, low, high, control, cohort_id, "
          "state FROM series s CROSS JOIN point WHERE point.series_id = s.series_id AND "
          "point.run_id = (SELECT MAX(q.run_id) FROM point q WHERE q.series_id = s.series_id)",
          {}, on_row);
      return;
    }
    if (history_.series.size() > kFewSeries && query_.last > 0 &&
        history_.runs.size() > query_.last) {
      // Points of the newest runs: run ids begin with their time.
      std::vector<std::string> ids;
      for (const TrackedRun& run : history_.runs) ids.push_back(run.run_id);
      const auto from = ids.end() - static_cast<std::ptrdiff_t>(query_.last);
      std::nth_element(ids.begin(), from, ids.end());
      const SqlValue oldest = *from;
      database_.exec(std::string(kPointColumns) + " WHERE run_id >= $1", {&oldest, 1}, on_row);
      return;
    }
    if (history_.series.size() > kFewSeries) {
      database_.exec(kPointColumns, {}, on_row);
      return;
    }
    for (const auto& [id, index] : series_) load_points_of(database_, id, on_row);
  }

  void take_point(SqlRow row) {
    // Rows of a run mostly follow one another.
    if (last_run_ == runs_.end() || last_run_->first != text_at(row, 0))
      last_run_ = runs_.find(text_at(row, 0));
    const auto series = series_.find(text_at(row, 1));
    if (last_run_ == runs_.end() || series == series_.end()) return;
    TrackedPoint point = point_of_row(row, last_run_->second);
    if (!text_at(row, 9).empty()) is_control_[series->second].insert(point.run);
    history_.series[series->second].points.push_back(std::move(point));
  }

  void finish() {
    std::set<std::string> cohorts;
    for (std::size_t i = 0; i < history_.series.size(); ++i) {
      SeriesHistory& one = history_.series[i];
      sort_by_run(one.points);
      if (one.points.empty()) continue;
      const std::size_t newest = one.points.back().run;
      one.series.experiment = history_.runs[newest].experiment;
      one.series.control = is_control_[i].contains(newest);
      if (query_.last > 0 && one.points.size() > query_.last) {
        one.points.erase(one.points.begin(),
                         one.points.end() - static_cast<std::ptrdiff_t>(query_.last));
      }
      for (const TrackedPoint& point : one.points) cohorts.insert(point.cohort);
    }
    std::erase_if(history_.series, [](const SeriesHistory& one) { return one.points.empty(); });
    std::sort(history_.series.begin(), history_.series.end(),
              [](const SeriesHistory& a, const SeriesHistory& b) {
                const auto key = [](const TrackedSeries& of) {
                  return std::tie(of.experiment, of.case_id, of.metric, of.id);
                };
                return key(a.series) < key(b.series);
              });
    history_.cohorts = load_cohorts(database_, cohorts);
  }

  Database& database_;
  const HistoryQuery& query_;
  History history_;
  Index runs_;
  Index::const_iterator last_run_;
  Index series_;
  std::vector<std::set<std::size_t>> is_control_;  // by series: runs in which it was the control
};

}  // namespace

std::vector<TrackedRun> load_runs(Database& database) {
  std::vector<TrackedRun> runs;
  database.exec(
      "SELECT run_id, started_at, name, build_id, git_sha, git_branch, git_dirty, config_hash, "
      "plan_digest, host, folder, worker_path, config_path, config_text, asked, labels, context, "
      "environment FROM run",
      {}, [&](SqlRow row) {
        runs.push_back({.run_id = text_at(row, 0),
                        .started_utc = text_at(row, 1),
                        .experiment = text_at(row, 2),
                        .host = text_at(row, 9),
                        .folder = text_at(row, 10),
                        .build_id = text_at(row, 3),
                        .worker_path = text_at(row, 11),
                        .git_sha = text_at(row, 4),
                        .git_branch = text_at(row, 5),
                        .git_dirty = std::get<std::int64_t>(row[6]) != 0,
                        .config_path = text_at(row, 12),
                        .config_text = text_at(row, 13),
                        .config_hash = text_at(row, 7),
                        .plan_digest = text_at(row, 8),
                        .asked = asked_from_json(text_at(row, 14)),
                        .labels = fields_from_json(text_at(row, 15)),
                        .context = fields_from_json(text_at(row, 16)),
                        .environment = fields_from_json(text_at(row, 17))});
      });
  // Sorted here rather than in SQL, because servers collate text differently.
  std::sort(runs.begin(), runs.end(), [](const TrackedRun& a, const TrackedRun& b) {
    return std::tie(a.started_utc, a.run_id) < std::tie(b.started_utc, b.run_id);
  });
  return runs;
}

std::map<std::string, SeriesExtent> load_extents(Database& database) {
  std::map<std::string, SeriesExtent> extents;
  // Answered from an index alone.
  database.exec("SELECT series_id, COUNT(*), MIN(run_id) FROM point GROUP BY series_id", {},
                [&](SqlRow row) {
                  extents[text_at(row, 0)] = {
                      .points = static_cast<std::size_t>(std::get<std::int64_t>(row[1])),
                      .first_run = text_at(row, 2)};
                });
  return extents;
}

History load_history(Database& database, const HistoryQuery& query) {
  return Loader(database, query).take();
}

History load_each_series(Database& database, const VisitSeries& visit) {
  History newest = load_history(database, {.last = 1});
  Index runs;
  for (std::size_t i = 0; i < newest.runs.size(); ++i) runs.emplace(newest.runs[i].run_id, i);
  std::set<std::string> cohorts;
  for (const SeriesHistory& one : newest.series) {
    SeriesHistory whole{.series = one.series};
    load_points_of(database, one.series.id, [&](SqlRow row) {
      const auto run = runs.find(text_at(row, 0));
      if (run == runs.end()) return;
      whole.points.push_back(point_of_row(row, run->second));
      cohorts.insert(whole.points.back().cohort);
    });
    sort_by_run(whole.points);
    visit(newest, whole);
  }
  newest.cohorts = load_cohorts(database, cohorts);
  return newest;
}

}  // namespace stepbench::nights
