// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <utility>

#include "harness/report/analysis_page.h"
#include "harness/report/html/analysis_charts.h"
#include "harness/report/html/lines.h"
#include "harness/report/html/report.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

constexpr std::size_t kRows = 200;  // of each table; the data has all

Tone tone_of_integrity(std::string_view line) {
  if (line.starts_with("note:") || line.find(": ok") != std::string_view::npos) return Tone::kPlain;
  return line.find("error") != std::string_view::npos ? Tone::kBad : Tone::kDoubt;
}

// What a trace says, doubts first; the tables behind it follow in a section of their own.
void add_trace(const AnalysedTrace& analysed, const std::string& place,
               std::vector<PageSection>& sections) {
  const AnalysisPage page = analysis_page(analysed, kRows);
  PageSection overview{.id = "overview" + place,
                       .title = sections.empty() ? "Overview" : page.headline,
                       .blocks = {}};
  PageSection tables{.id = "tables" + place, .title = "Tables", .blocks = {}};
  overview.blocks.push_back(Paragraph{.text = page.headline});
  const auto add = [](PageSection& section, std::vector<Paragraph> paragraphs) {
    std::move(paragraphs.begin(), paragraphs.end(), std::back_inserter(section.blocks));
  };
  add(overview, paragraphs_of(page.remarks, tone_of_integrity));
  for (std::size_t i = 0; i < page.sections.size(); ++i) {
    const AnalysisSection& each = page.sections[i];
    PageSection& section = i < 2 ? overview : tables;
    add_blocks(section, each, i == 1 ? tone_of_finding : plain_tone);
  }
  sections.push_back(std::move(overview));
  const std::string name =
      place.empty() ? "" : std::filesystem::path(analysed.path).filename().string();
  if (auto steps = trace_section(analysed, "steps" + place, name)) {
    sections.push_back(std::move(*steps));
  }
  if (!tables.blocks.empty()) sections.push_back(std::move(tables));
}

}  // namespace

ReportContent analysis_content(std::span<const AnalysedTrace> traces, const DrawOptions& /*draw*/) {
  ReportContent content{.kind = "analysis", .title = "Trace", .sections = {}, .data = "["};
  std::int64_t steps = 0;
  for (std::size_t i = 0; i < traces.size(); ++i) {
    add_trace(traces[i], i == 0 ? "" : "-" + std::to_string(i + 1), content.sections);
    std::string json = analysis_json(traces[i], 0);
    while (json.ends_with('\n')) json.pop_back();
    content.data += (i == 0 ? "" : ",") + json;
    steps += std::ssize(traces[i].analysis.steps.counted());
  }
  content.data += ']';
  for (PageSection& section : rank_sections(traces)) content.sections.push_back(std::move(section));
  if (!traces.empty()) {
    content.title = std::filesystem::path(traces.front().path).filename().string();
    if (traces.size() > 1) {
      content.title += " and " + text::counted(std::ssize(traces) - 1, "other trace");
    }
  }
  content.summary =
      text::counted(std::ssize(traces), "trace") + ", " + text::counted(steps, "step");
  content.measured = steps > 0;
  return content;
}

}  // namespace stepbench::report
