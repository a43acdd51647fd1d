// SPDX-License-Identifier: Apache-2.0
#include "harness/track/tracked_metrics.h"

#include <algorithm>
#include <string>

#include "harness/base/error.h"
#include "harness/os/text_file.h"

namespace stepbench::track {

std::vector<compare::TestedMetric> tracked_metrics(std::string_view names,
                                                   const std::vector<Metric>& columns) {
  std::string blanks(names);
  std::replace(blanks.begin(), blanks.end(), ',', ' ');
  std::vector<std::string> words;
  for (const std::string_view word : os::split_words(blanks)) words.emplace_back(word);
  if (words.empty()) return {};
  std::vector<compare::TestedMetric> metrics;
  try {
    metrics = compare::tested_metrics(words, columns).metrics;
  } catch (const ConfigError& error) {
    // What it says behind the option that it knows.
    throw ConfigError("track.metrics", std::string(error.what()).substr(error.where().size() + 2));
  }
  std::erase_if(metrics, [](const compare::TestedMetric& metric) {
    return metric.kind == compare::MetricKind::kStep || metric.kind == compare::MetricKind::kPeak;
  });
  return metrics;
}

}  // namespace stepbench::track
