// SPDX-License-Identifier: Apache-2.0
#include "harness/track/series.h"

#include "harness/base/digest.h"
#include "harness/json/json_text.h"

namespace stepbench {

std::string series_id(const TrackedSeries& series) {
  JsonText json;
  json.open_object();
  json.text("case_id", series.case_id);
  json.values("machine", series.machine);
  json.text("metric", series.metric);
  json.text("workload", series.workload);
  json.close_object();
  return digest(json.line());
}

}  // namespace stepbench
