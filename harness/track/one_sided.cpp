// SPDX-License-Identifier: Apache-2.0
#include "harness/track/one_sided.h"

#include <algorithm>

namespace stepbench::track {
namespace {

bool was_reproduced(const Alert& alert) {
  return std::any_of(alert.series.begin(), alert.series.end(), [](const AlertSeries& series) {
    return std::any_of(series.measured.begin(), series.measured.end(),
                       [](const AlertMeasurement& measured) { return measured.reproduced; });
  });
}

}  // namespace

std::string one_sided_warning(const AlertLog& alerts) {
  std::size_t found = 0;
  bool worse = false;
  for (auto alert = alerts.alerts.rbegin(); alert != alerts.alerts.rend(); ++alert) {
    if (!was_reproduced(*alert)) continue;
    if (found == 0) worse = alert->worse;
    if (alert->worse != worse) return {};
    if (++found < kOneSidedFindings) continue;
    return "the last " + std::to_string(kOneSidedFindings) +
           " changes that were confirmed are all " + (worse ? "for the worse" : "for the better") +
           ": suspect the machine, or how the nights are measured, before the programs";
  }
  return {};
}

}  // namespace stepbench::track
