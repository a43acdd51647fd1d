// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>

#include "harness/document/document.h"
#include "harness/report/history.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/report/night.h"
#include "harness/report/pages.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {

namespace {

std::optional<document::Figure> changes_figure(const nights::Night& night,
                                               const SeriesNames& names) {
  const nights::NightSeries* most = nullptr;
  std::int64_t known = 0;
  for (const nights::NightSeries& series : night.series) {
    if (!series.change || !std::isfinite(*series.change)) continue;
    ++known;
    if (most == nullptr || std::abs(*series.change) > std::abs(*most->change)) most = &series;
  }
  if (most == nullptr) return std::nullopt;
  return document::Figure{.title = "Tonight against the usual",
                          .alt = text::counted(known, "series") + ", the largest change " +
                                 text::signed_percent(*most->change) + " % of " +
                                 names.name(most->series) + '.',
                          .json = chart("night").close_object().take()};
}

document::Table environment_table(const nights::Night& night) {
  document::Table table{.title = "What changed in the environment since the night before",
                        .columns = {document::words("experiment"), document::words("field"),
                                    document::words("before"), document::words("tonight")}};
  for (const nights::NightExperiment& each : night.experiments) {
    for (const nights::EnvironmentChange& change : each.environment) {
      table.rows.push_back(
          {.cells = {change.experiment, change.field, change.before, change.tonight}});
    }
  }
  return table;
}

std::vector<document::Chapter> night_charts(const ShownNight& shown) {
  const SeriesNames names(shown.history);
  document::Chapter night{.id = "night", .title = "Environment tonight", .blocks = {}};
  if (auto figure = changes_figure(shown.night, names)) {
    night.blocks.emplace_back(std::move(*figure));
  }
  if (document::Table changed = environment_table(shown.night); !changed.rows.empty()) {
    night.blocks.emplace_back(std::move(changed));
  }
  document::Chapter series{.id = "moved", .title = "What moved, over its nights", .blocks = {}};
  for (const HistoryView& view : moved_over_nights(shown)) {
    if (auto figure = series_figure(view, names)) series.blocks.emplace_back(std::move(*figure));
  }
  std::vector<document::Chapter> chapters;
  for (document::Chapter* chapter : {&night, &series}) {
    if (!chapter->blocks.empty()) chapters.push_back(std::move(*chapter));
  }
  return chapters;
}

}  // namespace

ReportContent night_content(const ShownNight& shown, NightView view, std::string data) {
  const nights::Night& night = shown.night;
  view.rows = std::max<std::size_t>(1, night.series.size());  // show all series that moved
  document::Document document = night_document(shown, view);
  document.chapters.front().blocks.insert(document.chapters.front().blocks.begin(),
                                          document::Paragraph{document.headline});
  ReportContent content{
      .kind = "night",
      .title = "Night on " +
               (night.experiments.empty() ? std::string() : night.experiments.front().run.host),
      .answer = document.answer,
      .sections = std::move(document.chapters),
      .data = std::move(data),
      .summary = text::counted(std::ssize(night.series), "series"),
      .measured = !night.series.empty()};
  for (document::Chapter& chapter : night_charts(shown)) {
    if (chapter.id == "night") move_first_figure(chapter, content.sections.front(), 1);
    if (!chapter.blocks.empty()) content.sections.push_back(std::move(chapter));
  }
  view.rows = 0;
  document::Table series = night_table(shown, view);
  series.title = "Every series of the night";
  content.sections.push_back(
      {.id = "series", .title = "Every series", .blocks = {std::move(series)}, .folded = true});
  return content;
}

}  // namespace stepbench::report
