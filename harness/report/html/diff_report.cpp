// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <utility>

#include "harness/report/analysis_diff.h"
#include "harness/report/analysis_page.h"
#include "harness/report/html/analysis_charts.h"
#include "harness/report/html/lines.h"
#include "harness/report/html/report.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kDiffRows = 200;  // of each table; the data has all

Tone tone_of_diff_remark(std::string_view line) {
  if (line.starts_with("error") || line.starts_with("comparable: NO")) return Tone::kBad;
  return line.starts_with("warning") ? Tone::kDoubt : Tone::kPlain;
}

// What the step's time did and which findings changed; the other tables behind it.
void add_diff(const analyze::TraceDiff& diff, const std::string& place,
              std::vector<PageSection>& sections) {
  const AnalysisPage page = diff_page(diff, kDiffRows);
  PageSection overview{.id = "overview" + place,
                       .title = sections.empty() ? "Overview" : page.headline,
                       .blocks = {Paragraph{.text = page.headline}}};
  PageSection tables{.id = "tables" + place, .title = "Tables", .blocks = {}};
  for (Paragraph& remark : paragraphs_of(page.remarks, tone_of_diff_remark)) {
    overview.blocks.push_back(std::move(remark));
  }
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    const bool first = i == 0 || i + 1 == page.sections.size();
    add_blocks(first ? overview : tables, page.sections[i], plain_tone);
  }
  sections.push_back(std::move(overview));
  if (auto charts = diff_section(diff, "changes" + place)) sections.push_back(std::move(*charts));
  if (!tables.blocks.empty()) sections.push_back(std::move(tables));
}

}  // namespace

ReportContent diff_content(std::span<const analyze::TraceDiff> diffs, const DrawOptions& /*draw*/) {
  ReportContent content{
      .kind = "analysis", .title = "What changed between traces", .sections = {}, .data = "["};
  for (std::size_t i = 0; i < diffs.size(); ++i) {
    add_diff(diffs[i], i == 0 ? "" : "-" + std::to_string(i + 1), content.sections);
    std::string json = diff_json(diffs[i], 0);
    while (json.ends_with('\n')) json.pop_back();
    content.data += (i == 0 ? "" : ",") + json;
  }
  content.data += ']';
  content.summary = text::counted(std::ssize(diffs), "comparison") + " of traces";
  content.measured = std::any_of(diffs.begin(), diffs.end(),
                                 [](const analyze::TraceDiff& diff) { return diff.comparable(); });
  return content;
}

}  // namespace stepbench::report
