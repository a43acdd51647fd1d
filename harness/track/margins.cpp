// SPDX-License-Identifier: Apache-2.0
#include "harness/track/margins.h"

#include <sstream>

#include "harness/base/error.h"
#include "harness/text/share.h"

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

}  // namespace stepbench::track
