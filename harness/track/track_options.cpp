// SPDX-License-Identifier: Apache-2.0
#include "harness/track/track_options.h"

#include <algorithm>
#include <sstream>
#include <string>

#include "harness/base/error.h"
#include "harness/os/text_file.h"
#include "harness/text/numbers.h"

namespace stepbench::track {
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
      throw ConfigError(option, "'" + given + "' is not a share below 1, such as 2% or 0.02");
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

compare::TestedMetric metric_of(std::string_view word, const std::vector<Metric>& columns) {
  const std::size_t equals = word.find('=');
  const std::string name(word.substr(0, equals));
  compare::TestedMetric metric;
  try {
    metric = compare::tested_metrics({&name, 1}, columns).metrics.front();
  } catch (const ConfigError& error) {
    // Keeps the message after the option's name.
    throw ConfigError(kOption, std::string(error.what()).substr(error.where().size() + 2));
  }
  if (equals == std::string_view::npos) return metric;
  if (metric.kind == compare::MetricKind::kStep || metric.kind == compare::MetricKind::kPeak) {
    throw ConfigError(kOption, "'" + std::string(word) +
                                   "': every case has this metric; its "
                                   "margin is track.margin." +
                                   metric.name);
  }
  metric.margin = text::parse_share(word.substr(equals + 1));
  if (!metric.margin) {
    throw ConfigError(kOption, "'" + std::string(word) +
                                   "': expected a share below 1 after =, as in " + name +
                                   "=5% or " + name + "=0.05");
  }
  return metric;
}

}  // namespace

std::vector<compare::TestedMetric> tracked_metrics(std::string_view names,
                                                   const std::vector<Metric>& columns) {
  std::string blanks(names);
  std::replace(blanks.begin(), blanks.end(), ',', ' ');
  std::vector<compare::TestedMetric> metrics;
  for (const std::string_view word : os::split_words(blanks)) {
    compare::TestedMetric metric = metric_of(word, columns);
    const bool again = std::any_of(metrics.begin(), metrics.end(), [&](const auto& other) {
      return other.metric == metric.metric;
    });
    const bool of_every_case =
        metric.kind == compare::MetricKind::kStep || metric.kind == compare::MetricKind::kPeak;
    if (!again && !of_every_case) metrics.push_back(std::move(metric));
  }
  return metrics;
}

}  // namespace stepbench::track
