// SPDX-License-Identifier: Apache-2.0
// The metrics that a result may contain, with their units and sources.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"

namespace stepbench::report {

struct MetricGroup {
  std::vector<std::string> workloads;  // empty: all
  std::vector<Metric> metrics;
};

// Metrics of the harness, then of each set of workloads; no name occurs twice.
[[nodiscard]] std::vector<MetricGroup> metric_groups(const Catalogue& catalogue);

[[nodiscard]] std::string metrics_text(const std::vector<MetricGroup>& groups, std::size_t width);
[[nodiscard]] std::string metrics_markdown(const std::vector<MetricGroup>& groups);
// {"sources":{name:doc},"metrics":[{name,unit,role,direction,source,workloads,doc}]}
[[nodiscard]] std::string metrics_json(const std::vector<MetricGroup>& groups);

}  // namespace stepbench::report
