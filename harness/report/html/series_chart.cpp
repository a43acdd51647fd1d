// SPDX-License-Identifier: Apache-2.0
#include "harness/report/html/series_chart.h"

#include <algorithm>
#include <limits>
#include <string>

#include "harness/report/history_chart.h"
#include "harness/report/history_view.h"
#include "harness/report/html/chart_json.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

// True if Plotly's automatic axis does not reach 0: it does if the values come close to 0.
bool begins_above_0(const HistoryView& view) {
  constexpr double kPadding = 0.07;  // of the axis length, at each end
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const HistoryNight& night : view.nights) {
    if (!has_value(night)) continue;
    low = std::min({low, night.point->value, night.point->low});
    high = std::max({high, night.point->value, night.point->high});
  }
  return low > kPadding * (high - low) && low > 0;
}

}  // namespace

std::optional<document::Figure> series_figure(const HistoryView& view, const SeriesNames& names) {
  const auto drawn = std::ranges::count_if(view.nights, has_value);
  if (drawn == 0) return std::nullopt;
  const track::TrackedSeries& series = view.series->series;
  json::JsonText json = chart("series");
  json.text("id", series.id).text("title", metric_label(series.metric)).close_object();
  std::vector<std::string> notes;
  if (const std::int64_t missing = std::ssize(view.nights) - drawn; missing > 0) {
    notes.push_back(text::counted(missing, "night") + " without a value " +
                    (missing == 1 ? "is" : "are") + " left out.");
  }
  if (view.nights.size() == kMaxNights) {
    notes.push_back("The newest " + text::with_separators(kMaxNights) + " nights.");
  }
  if (begins_above_0(view)) notes.emplace_back("The axis does not begin at 0.");
  const std::string name = names.name(series);
  std::string alt = name + " over " + text::counted(drawn, "night");
  for (const nights::Alert* alert : view.alerts) alt += "; " + alert_words(*alert);
  return document::Figure{.title = name,
                          .alt = alt + '.',
                          .in_text = draw_chart(view),
                          .json = json.take(),
                          .note = text::join(notes, " ")};
}

}  // namespace stepbench::report
