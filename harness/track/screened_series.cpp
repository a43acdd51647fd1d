// SPDX-License-Identifier: Apache-2.0
#include "harness/track/screened_series.h"

#include <span>

namespace stepbench::track {

ScreenedSeries screened_series(const SeriesHistory& series, const ScreenChoice& choice) {
  ScreenedSeries screened{.series = &series};
  std::vector<double> values;
  for (const TrackedPoint& point : series.points) values.push_back(point.value);
  screened.changes = choice.method == "otava" ? otava_change_points(values, choice.otava)
                                              : divisive_change_points(values, choice.divisive);
  std::size_t level = 0;
  auto next = screened.changes.begin();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto nights = std::span(values).subspan(level, i + 1 - level);
    if (screen(nights, {.kind = choice.screen}).fired()) screened.fired.push_back(i);
    if (next != screened.changes.end() && next->index == i) {
      level = i;
      ++next;
    }
  }
  return screened;
}

}  // namespace stepbench::track
