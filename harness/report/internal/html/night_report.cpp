// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string>

#include "harness/base/format.h"
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
  return document::Figure{
      .title = "Tonight against the usual",
      .alt = formatted("{}, the largest change {} % of {}.", text::counted(known, "series"),
                       text::signed_percent(*most->change), names.name(most->series)),
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

}  // namespace

ReportContent night_content(const ShownNight& shown, NightView view, std::string data) {
  const nights::Night& night = shown.night;
  const SeriesNames names(shown.history);
  view.rows = std::max<std::size_t>(1, night.series.size());  // show all series that moved
  document::Document document = night_document(shown, view);
  ReportContent content{
      .kind = "night",
      .title = "Night on " +
               (night.experiments.empty() ? std::string() : night.experiments.front().run.host),
      .answer = document.answer,
      .sections = std::move(document.chapters),
      .data = std::move(data),
      .summary = text::counted(std::ssize(night.series), "series"),
      .measured = !night.series.empty()};
  std::vector<document::Block>& first = content.sections.front().blocks;
  first.insert(first.begin(), document::Paragraph{document.headline});
  if (auto figure = changes_figure(night, names)) {
    first.insert(first.begin() + 1, std::move(*figure));
  }
  const auto add = [&](document::Chapter chapter) {
    if (!chapter.blocks.empty()) content.sections.push_back(std::move(chapter));
  };
  document::Chapter environment{.id = "night", .title = "Environment tonight", .blocks = {}};
  if (document::Table changed = environment_table(night); !changed.rows.empty()) {
    environment.blocks.emplace_back(std::move(changed));
  }
  add(std::move(environment));
  document::Chapter moved{.id = "moved", .title = "What moved, over its nights", .blocks = {}};
  for (const HistoryView& each : moved_over_nights(shown)) {
    if (auto figure = series_figure(each, names)) moved.blocks.emplace_back(std::move(*figure));
  }
  add(std::move(moved));
  view.rows = 0;
  document::Table series = night_table(shown, view);
  series.title = "Every series of the night";
  add({.id = "series", .title = "Every series", .blocks = {std::move(series)}, .folded = true});
  return content;
}

}  // namespace stepbench::report
