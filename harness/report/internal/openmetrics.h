// SPDX-License-Identifier: Apache-2.0
// A page of gauges in the OpenMetrics 1.0 text format that parsers of Prometheus' older text format
// also accept: for a scrape and for the textfile collector of node_exporter. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/estimate/columns.h"
#include "harness/json/json_text.h"
#include "harness/report/exports.h"

namespace stepbench::report {

inline constexpr std::string_view kExitCodeHelp =
    "Exit status of the verdict: 0 ok, 1 regression, 2 usage, 3 not decided, 4 no data.";

// Samples of one name, in Prometheus' base units: values are multiplied by the factor.
struct Family {
  std::string name;  // ends in its unit if that is seconds, bytes or a ratio
  double factor = 1;
};
// "step_ns" becomes "stepbench_step_seconds".
[[nodiscard]] Family family_of(std::string_view metric);
// As declared in the table of metrics.
[[nodiscard]] inline Family family_of(const estimate::EstimateColumn& column) {
  return {"stepbench_" + std::string(column.gauge.name), estimate::is_time(column) ? 1e-9 : 1};
}
// For names without a unit: all gauges of one name must have the same unit.
[[nodiscard]] inline Family family_of(const std::string& name, std::string_view unit) {
  return family_of(name + (unit == "ns" ? "_ns" : unit == "bytes" ? "_bytes" : "_value"));
}

class GaugePage {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  // Formats labels as they appear between the braces, without the braces, after those in `before`.
  [[nodiscard]] static std::string label_text(const Labels& labels, std::string before = {});
  // Converts to a valid metric or label name: letters, digits and '_', no leading digit.
  [[nodiscard]] static std::string name_text(std::string_view name);
  // "option_num_workers", without duplicates.
  [[nodiscard]] static std::vector<std::string> option_labels(
      const std::vector<std::string>& options);

  // Adds a sample, if there is one, to the family `name`. Only the first sample's `help` is used.
  // `labels` comes from label_text(); the caller must not add the same labels twice.
  void add(std::string_view name, std::string_view help, std::string_view labels,
           const std::optional<double>& value);
  void add(const Family& family, std::string_view help, std::string_view labels,
           const std::optional<double>& value) {
    if (value) add(family.name, help, labels, *value * family.factor);
  }
  void add_started(const std::string& utc, std::string_view labels);

  // text() in pieces. Throws ConfigError at --max-series if there are more samples.
  void write(const json::TextSink& sink, std::size_t max_series) const;
  [[nodiscard]] std::string text(std::size_t max_series = static_cast<std::size_t>(-1)) const {
    return json::whole_text([&](const json::TextSink& sink) { write(sink, max_series); });
  }

 private:
  struct OneFamily {
    std::string head;
    std::string samples;
  };
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::vector<OneFamily> families_;
  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> by_name_;
  std::size_t samples_ = 0;
};

// The format `openmetrics` of sources other than runs: of a history the points of the last run of
// each experiment and host.
[[nodiscard]] std::string openmetrics_of_verdict(std::span<const verdict::Comparison> comparisons,
                                                 const ExportOptions& options);
[[nodiscard]] std::string openmetrics_of_history(const nights::History& history,
                                                 const ExportOptions& options);
// Throws LineError if it is not a night's verdict file.
[[nodiscard]] std::string openmetrics_of_night(const std::string& night_json,
                                               const ExportOptions& options);

}  // namespace stepbench::report
