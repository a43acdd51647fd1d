// SPDX-License-Identifier: Apache-2.0
#include "harness/nights/history.h"

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <tuple>

#include "harness/base/digest.h"
#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/json_text.h"
#include "harness/os/text_file.h"
#include "harness/record/rows.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::nights {

const TrackedRun* find_run(std::span<const TrackedRun> runs, std::string_view run_id) {
  const auto found = std::ranges::find(runs, run_id, &TrackedRun::run_id);
  return found == runs.end() ? nullptr : &*found;
}

std::string commit_url(const TrackedRun& run, const std::string& sha) {
  constexpr std::string_view kSha = "{sha}";
  std::string url = text_of(run.context, kCommitUrlOption);
  if (url.empty() || sha.empty()) return {};
  const std::size_t at = url.find(kSha);
  return at == std::string::npos ? url + sha : url.replace(at, kSha.size(), sha);
}

bool is_imported(const TrackedRun& run) { return !text_of(run.context, "imported").empty(); }

const TrackedRun* History::find_run(std::string_view run_id) const {
  return nights::find_run(runs, run_id);
}

const SeriesHistory* History::find_series(std::string_view id) const {
  const auto found = std::ranges::find(
      series, id, [](const SeriesHistory& each) -> const auto& { return each.series.id; });
  return found == series.end() ? nullptr : &*found;
}

SeriesMetric kind_of_metric(std::string_view metric) {
  return {.unit = metric == kPeakSeries ? "bytes" : "ns"};
}

bool is_monitored(std::string_view metric) { return !metric.starts_with(kPhaseSeries); }

std::string series_id(const TrackedSeries& series) {
  json::JsonText json;
  json.open_object();
  json.text("case_id", series.case_id);
  json.values("machine", series.machine);
  json.text("metric", series.metric);
  json.integer("schema", record::kResultMajor);
  json.text("workload", series.workload);
  json.close_object();
  return digest(json.line());
}

std::string cohort_id(const Fields& fields) {
  return digest(json::JsonText().values({}, fields).line());
}

namespace {

// Key in the context of the run.
std::string key_of(std::string_view case_id, std::string_view number) {
  return formatted("track.busy.{}.{}", case_id, number);
}

}  // namespace

void set_busy(TrackedRun& run, std::string_view case_id, const estimate::BusyMachine& busy) {
  run.context[key_of(case_id, "waited_for_cpu")] = busy.waited;
  if (busy.others) run.context[key_of(case_id, "others_cpu_share")] = *busy.others;
}

std::optional<estimate::BusyMachine> busy_of(const TrackedRun& run, std::string_view case_id) {
  const auto waited = number_of(run.context, key_of(case_id, "waited_for_cpu"));
  if (!waited) return std::nullopt;
  return estimate::BusyMachine{
      .waited = *waited, .others = number_of(run.context, key_of(case_id, "others_cpu_share"))};
}

namespace {

constexpr std::string_view kMarginsOfRun = "track.margins";  // in the run's context

}  // namespace

std::map<std::string, double> margins_of(const OptionValues& options) {
  const std::pair<std::string, std::string_view> kOptions[] = {
      {"track.margin.step", kStepSeries}, {"track.margin.peak_bytes", kPeakSeries}};
  std::map<std::string, double> margins;
  for (const auto& [option, metric] : kOptions) {
    const std::string given = text_of(options, option, "auto");
    if (given == "auto") continue;
    const auto share = text::parse_share(given);
    if (!share) {
      throw ConfigError(option,
                        formatted("'{}' is not a share below 1, such as 2% or 0.02", given));
    }
    margins.emplace(metric, *share);
  }
  return margins;
}

void set_margin(TrackedRun& run, std::string_view case_id, std::string_view metric, double share) {
  std::ostringstream line;
  line << case_id << ' ' << metric << ' ' << share << '\n';
  const std::string before = text_of(run.context, kMarginsOfRun);
  run.context.insert_or_assign(std::string(kMarginsOfRun), Value{before + line.str()});
}

RunMargins::RunMargins(const TrackedRun& run) {
  std::istringstream lines(text_of(run.context, kMarginsOfRun));
  std::string case_id;
  std::string metric;
  double share = 0;
  while (lines >> case_id >> metric >> share) shares_[{case_id, metric}] = share;
}

double RunMargins::of(const TrackedSeries& series) const {
  const auto found = shares_.find({series.case_id, series.metric});
  return found == shares_.end() ? kMargin : found->second;
}

namespace {

constexpr const char* kOption = "track.metrics";

verdict::TestedMetric metric_of(std::string_view word, const std::vector<Metric>& columns) {
  const std::size_t equals = word.find('=');
  const std::string name(word.substr(0, equals));
  verdict::TestedMetric metric;
  try {
    metric = verdict::tested_metrics({&name, 1}, columns).metrics.front();
  } catch (const ConfigError& error) {
    // Keeps the message after the option's name.
    throw ConfigError(kOption, std::string(error.what()).substr(error.where().size() + 2));
  }
  if (equals == std::string_view::npos) return metric;
  if (metric.kind == verdict::MetricKind::kStep || metric.kind == verdict::MetricKind::kPeak) {
    throw ConfigError(
        kOption, formatted("'{}': every case has this metric; its margin is track.margin.{}", word,
                           metric.name));
  }
  metric.margin = text::parse_share(word.substr(equals + 1));
  if (!metric.margin) {
    throw ConfigError(
        kOption, formatted("'{}': expected a share below 1 after =, as in {}=5% or {}=0.05", word,
                           name, name));
  }
  return metric;
}

}  // namespace

std::vector<verdict::TestedMetric> tracked_metrics(std::string_view names,
                                                   const std::vector<Metric>& columns) {
  std::string blanks(names);
  std::replace(blanks.begin(), blanks.end(), ',', ' ');
  std::vector<verdict::TestedMetric> metrics;
  for (const std::string_view word : os::split_words(blanks)) {
    verdict::TestedMetric metric = metric_of(word, columns);
    const bool again = std::any_of(metrics.begin(), metrics.end(), [&](const auto& other) {
      return other.metric == metric.metric;
    });
    const bool of_every_case =
        metric.kind == verdict::MetricKind::kStep || metric.kind == verdict::MetricKind::kPeak;
    if (!again && !of_every_case) metrics.push_back(std::move(metric));
  }
  return metrics;
}

namespace {

constexpr std::size_t kMaxNewSeriesNotes = 3;
constexpr std::size_t kMaxDifferencesShown = 4;
constexpr std::size_t kIdDigits = 8;

struct Known {
  const SeriesHistory* series = nullptr;
  std::vector<FieldSplit> differ = {};
  bool tonight = false;  // has a point tonight
};

// Fewest differences; among equals a series that ended, then the longest.
bool is_nearer(const Known& a, const Known& b) {
  const auto key = [](const Known& one) {
    return std::tuple(one.differ.size(), one.tonight, -std::ssize(one.series->points));
  };
  return b.series == nullptr || key(a) < key(b);
}

bool runs(const History& history, std::span<const std::string> tonight,
          const SeriesHistory& series) {
  if (series.points.empty()) return false;
  const std::string& last = history.runs.at(series.points.back().run).run_id;
  return std::ranges::find(tonight, last) != tonight.end();
}

bool is_new(const History& history, std::span<const std::string> tonight,
            const SeriesHistory& series) {
  return series.points.size() == 1 && runs(history, tonight, series);
}

Known nearest(const History& history, std::span<const std::string> tonight,
              const SeriesHistory& fresh) {
  Known found;
  for (const SeriesHistory& one : history.series) {
    if (one.series.metric != fresh.series.metric || one.points.empty()) continue;
    if (is_new(history, tonight, one)) continue;
    Known known{.series = &one,
                .differ = identity_splits(one.series, fresh.series),
                .tonight = runs(history, tonight, one)};
    if (is_nearer(known, found)) found = std::move(known);
  }
  return found;
}

std::string difference_text(const std::vector<FieldSplit>& differ) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(differ.size(), kMaxDifferencesShown); ++i) {
    parts.push_back(formatted("{} ({} -> {})", differ[i].field, differ[i].a, differ[i].b));
  }
  if (differ.size() > kMaxDifferencesShown) {
    parts.push_back(formatted("{} more", differ.size() - kMaxDifferencesShown));
  }
  return text::join_and(parts);
}

std::string note_of(const SeriesHistory& fresh, const Known& known) {
  const std::string id = fresh.series.id.substr(0, kIdDigits);
  const std::string other = known.series->series.id.substr(0, kIdDigits);
  std::string note = formatted(
      "series {} is new: {} ({}) is the most similar one, and differs in {}", id, other,
      text::counted(std::ssize(known.series->points), "night"), difference_text(known.differ));
  if (!known.tonight && known.series->series.machine == fresh.series.machine) {
    note += formatted("; if they are the same case: `stepbench track merge {} {}`", other, id);
  }
  return note;
}

}  // namespace

std::vector<std::string> new_series_notes(const History& history,
                                          std::span<const std::string> tonight) {
  std::vector<std::string> notes;
  std::size_t more = 0;
  for (const SeriesHistory& one : history.series) {
    if (one.series.metric != kStepSeries || one.series.control) continue;
    if (!is_new(history, tonight, one)) continue;
    const Known known = nearest(history, tonight, one);
    if (known.series == nullptr) continue;
    if (notes.size() < kMaxNewSeriesNotes) {
      notes.push_back(note_of(one, known));
    } else {
      ++more;
    }
  }
  if (more > 0) {
    notes.push_back(formatted("{} more series are new", more));
  }
  return notes;
}

namespace {

void add_split(std::vector<FieldSplit>& splits, const std::string& field, const std::string& a,
               const std::string& b) {
  if (a != b) splits.push_back({field, a, b});
}

std::vector<FieldSplit> field_splits(const Fields& a, const Fields& b,
                                     std::string_view absent = "-") {
  std::set<std::string> names;
  for (const auto& [name, value] : a) names.insert(name);
  for (const auto& [name, value] : b) names.insert(name);
  std::vector<FieldSplit> splits;
  for (const std::string& name : names) {
    add_split(splits, name, stepbench::text_of(a, name, absent),
              stepbench::text_of(b, name, absent));
  }
  return splits;
}

const Fields& fields_of_cohort(const History& history, const std::string& id) {
  static const Fields kNone;
  const auto found = std::find_if(history.cohorts.begin(), history.cohorts.end(),
                                  [&](const Cohort& cohort) { return cohort.id == id; });
  return found == history.cohorts.end() ? kNone : found->fields;
}

}  // namespace

std::vector<FieldSplit> identity_splits(const TrackedSeries& a, const TrackedSeries& b) {
  std::vector<FieldSplit> splits;
  if (a.id == b.id) return splits;
  add_split(splits, "workload", a.workload, b.workload);
  add_split(splits, "metric", a.metric, b.metric);
  const std::size_t before = splits.size();
  for (FieldSplit& split : field_splits(Fields(a.options), Fields(b.options), "default")) {
    if (a.case_id != b.case_id) splits.push_back(std::move(split));
  }
  // The case ids differ in options that the cases' names do not show.
  if (splits.size() == before) add_split(splits, "case_id", a.case_id, b.case_id);
  for (FieldSplit& split : field_splits(a.machine, b.machine)) splits.push_back(std::move(split));
  return splits;
}

std::vector<FieldSplit> cohort_splits(const History& history, const std::string& a,
                                      const std::string& b) {
  return field_splits(fields_of_cohort(history, a), fields_of_cohort(history, b));
}

std::vector<SegmentBegin> segment_begins(const History& history, const SeriesHistory& series) {
  std::vector<SegmentBegin> changes;
  for (std::size_t i = 1; i < series.points.size(); ++i) {
    const std::string& before = series.points[i - 1].cohort;
    const std::string& after = series.points[i].cohort;
    if (before == after) continue;
    changes.push_back({series.points[i].run, cohort_splits(history, before, after)});
  }
  return changes;
}

}  // namespace stepbench::nights
