// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "harness/report/html/night_charts.h"
#include "harness/report/html/report.h"
#include "harness/report/night_document.h"
#include "harness/text/words.h"

namespace stepbench::report {

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
