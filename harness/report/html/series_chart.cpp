// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/series_chart.h"

#include <algorithm>
#include <string>

#include "harness/report/history_chart.h"
#include "harness/report/history_view.h"
#include "harness/report/html/chart_json.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {

std::optional<document::Figure> series_figure(const HistoryView& view, const SeriesNames& names) {
  const auto drawn = std::ranges::count_if(view.nights, has_value);
  if (drawn == 0) return std::nullopt;
  const track::TrackedSeries& series = view.series->series;
  json::JsonText json = chart("series");
  json.text("id", series.id).text("title", metric_label(series.metric)).close_object();
  const std::string name = names.name(series);
  std::string alt = name + " over " + text::counted(drawn, "night");
  for (const nights::Alert* alert : view.alerts) alt += "; " + alert_words(*alert);
  return document::Figure{
      .title = name,
      .alt = alt + '.',
      .in_text = draw_chart(view),
      .json = json.take(),
      .note = view.nights.size() == kMaxNights
                  ? "The newest " + text::with_separators(kMaxNights) + " nights."
                  : ""};
}

}  // namespace stepbench::report
