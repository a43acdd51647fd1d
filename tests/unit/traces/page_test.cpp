// SPDX-License-Identifier: Apache-2.0
// The page of a trace on a terminal: short, with nothing repeated or lost.
#include <cctype>

#include "harness/document/render.h"
#include "harness/report/trace_analysis.h"
#include "harness/traces/rules.h"
#include "harness/traces/trace_files.h"
#include "tests/testing.h"

namespace stepbench::report {
namespace {

// Words are wrapped at any blank.
std::string without_blanks(std::string text) {
  std::erase_if(text, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
  return text;
}

std::size_t times(const std::string& page, const std::string& words) {
  const std::string wanted = without_blanks(words);
  std::size_t found = 0;
  for (std::size_t at = page.find(wanted); at != std::string::npos;
       at = page.find(wanted, at + 1)) {
    ++found;
  }
  return found;
}

std::vector<fs::path> recorded() {
  std::vector<fs::path> all;
  for (const char* folder : {DATA, TRACES}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.path().string().ends_with(".json.gz")) all.push_back(entry.path());
    }
  }
  return all;
}

TEST(AnalysisPage, RecordedTraces_FitSixtyLines) {
  ASSERT_GE(recorded().size(), 6U);
  for (const fs::path& path : recorded()) {
    SCOPED_TRACE(path.filename());
    const traces::Trace trace = traces::read_trace(path);
    AnalysedTrace analysed{
        .trace = &trace, .path = path.string(), .analysis = traces::analyse(trace)};
    analysed.findings = traces::find_causes(trace, analysed.analysis, {});
    const std::string text = document::render(analysis_page(analysed, 5), {.columns = 100});
    EXPECT_LE(std::ranges::count(text, '\n'), 60);
    const std::string page = without_blanks(text);
    const std::string all =
        without_blanks(document::render(analysis_document(analysed, 0), {.columns = 100}));
    for (const Finding& finding : analysed.findings) {
      if (!finding.undecided.empty()) {
        EXPECT_EQ(times(page, finding.undecided), 1U) << finding.undecided;
        continue;
      }
      EXPECT_GE(times(page, finding.id), 1U) << finding.id;
      EXPECT_LE(times(page, finding.text), 1U) << finding.text;
      EXPECT_EQ(times(all, finding.text), 1U) << finding.text;
    }
    for (const traces::IntegrityNote& note : analysed.analysis.integrity) {
      EXPECT_EQ(times(page, note.text), 1U) << note.text;
    }
  }
}

}  // namespace
}  // namespace stepbench::report
