// SPDX-License-Identifier: Apache-2.0
// What the page of a trace shows on a narrow terminal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/analyze/rules.h"
#include "harness/document/render.h"
#include "harness/report/analysis_report.h"
#include "tests/unit/analyze/planted_trace.h"

namespace stepbench::analyze {
namespace {

using ::testing::HasSubstr;

std::string page_of(const trace::Trace& trace, int columns) {
  report::AnalysedTrace analysed{.trace = &trace, .path = "a.json", .analysis = analyse(trace)};
  analysed.findings = find_causes(trace, analysed.analysis);
  return document::render(report::analysis_document(analysed, 10), {.columns = columns});
}

TEST(AnalysisPage, SaysForWhichColumnsThereWasNoRoom) {
  const trace::Trace trace = testing::planted(30'000'000, [](testing::PlantedStep& step) {
    step.trace.loading(step.gap_begin_ns(), step.gap_end_ns());
  });
  EXPECT_TRUE(page_of(trace, 60).find("no room for: p90, median") != std::string::npos);
  EXPECT_THAT(page_of(trace, 100), HasSubstr("first step  "));
  EXPECT_TRUE(page_of(trace, 150).find("no room for") == std::string::npos);
}

}  // namespace
}  // namespace stepbench::analyze
