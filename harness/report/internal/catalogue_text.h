// SPDX-License-Identifier: Apache-2.0
// The parts of a catalogue as text. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/catalogue/catalogue.h"

namespace stepbench::report {

// Display name of the section without a name.
inline constexpr std::string_view kTopLevel = "top-level";

// "device_busy_ns (ns, by cupti)"
[[nodiscard]] std::string metric_head(const Metric& metric);

[[nodiscard]] std::string overview_text(const Catalogue& catalogue, std::size_t width);
[[nodiscard]] std::string workload_text(const WorkloadSpec& workload, const Catalogue& catalogue,
                                        std::size_t width);
[[nodiscard]] std::string section_text(const Section& section, std::size_t width);
[[nodiscard]] std::string option_text(const Option& option, const std::string& full_name,
                                      std::size_t width);

[[nodiscard]] std::string section_markdown(const Section& section);
[[nodiscard]] std::string catalogue_markdown(const Catalogue& catalogue);

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
