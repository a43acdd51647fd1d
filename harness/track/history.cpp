// SPDX-License-Identifier: Apache-2.0
#include "harness/track/history.h"

#include <algorithm>
#include <string>

#include "harness/base/digest.h"
#include "harness/json/json_text.h"
#include "harness/record/rows.h"

namespace stepbench::track {

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
  return track::find_run(runs, run_id);
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
  return "track.busy." + std::string(case_id) + '.' + std::string(number);
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

}  // namespace stepbench::track
