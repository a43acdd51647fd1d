// SPDX-License-Identifier: Apache-2.0
#include "harness/track/series.h"

#include "harness/base/digest.h"
#include "harness/json/json_text.h"
#include "harness/record/rows.h"

namespace stepbench::track {

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
  json::JsonText json;
  json.open_object();
  for (const auto& [name, value] : fields) json.value(name, value);
  json.close_object();
  return digest(json.line());
}

}  // namespace stepbench::track
