// SPDX-License-Identifier: Apache-2.0
#include "harness/track/cohort_changes.h"

#include <algorithm>
#include <set>

namespace stepbench::track {
namespace {

Fields fields_of(const History& history, const std::string& id) {
  const auto found = std::find_if(history.cohorts.begin(), history.cohorts.end(),
                                  [&](const Cohort& cohort) { return cohort.id == id; });
  return found == history.cohorts.end() ? Fields() : found->fields;
}

}  // namespace

bool note_cohort(std::vector<CohortChange>& changes, const History& history,
                 const SeriesHistory& series, std::size_t at, bool by_ratio) {
  if (at == 0 || series.points[at - 1].cohort == series.points[at].cohort) return false;
  const Fields before = fields_of(history, series.points[at - 1].cohort);
  const Fields tonight = fields_of(history, series.points[at].cohort);
  const std::string& experiment = history.runs.at(series.points[at].run).experiment;
  std::set<std::string> names;
  for (const auto& [name, value] : before) names.insert(name);
  for (const auto& [name, value] : tonight) names.insert(name);
  for (const std::string& name : names) {
    const std::string was = text_of(before, name, "-");
    const std::string is = text_of(tonight, name, "-");
    if (was == is) continue;
    const auto known = std::find_if(changes.begin(), changes.end(), [&](const auto& change) {
      return change.experiment == experiment && change.field == name && change.before == was &&
             change.tonight == is;
    });
    CohortChange& change =
        known == changes.end()
            ? changes.emplace_back(CohortChange{
                  .experiment = experiment, .field = name, .before = was, .tonight = is})
            : *known;
    ++change.series;
    change.by_ratio += by_ratio ? 1 : 0;
  }
  return true;
}

}  // namespace stepbench::track
