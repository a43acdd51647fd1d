// SPDX-License-Identifier: Apache-2.0
// `stepbench report`: contents of a run, a verdict, a night, a history or traces as sections, and
// these as one page with the underlying data. Pure; any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/document/document.h"
#include "harness/record/reader.h"
#include "harness/report/html/chart_json.h"
#include "harness/report/html/page.h"
#include "harness/report/night_document.h"
#include "harness/track/history.h"

namespace stepbench::analyze {
struct TraceDiff;
}  // namespace stepbench::analyze

namespace stepbench::report {

struct AnalysedTrace;

inline constexpr std::string_view kReportSchema = "stepbench.report";
inline constexpr std::string_view kReportVersion = "1.2.0";

struct ReportContent {
  std::string_view kind;  // run, verdict, night, history, site, series, alert, analysis, error
  std::string title;
  document::Answer answer = {};
  std::vector<document::Chapter> sections;
  std::string data = {};     // a JSON value: the source's own JSON output
  std::string charts = {};   // a JSON object with further data for charts; may be empty
  std::string summary = {};  // "12 cases, 72 launches, 14,400 steps"
  bool measured = true;
};

struct ReportOptions {
  std::string title = {};                  // overrides the content's title
  std::vector<std::string> sections = {};  // ids of sections to include; empty: all
  std::vector<std::string> sources = {};   // files and folders, recorded for readers of the data
  DrawOptions draw = {};
  bool compact = false;  // compress data
  Plotly plotly = {};
  std::string plotly_file = {};  // see Page
  document::Line back = {""};
};

struct Report {
  std::string html;
  std::string summary;  // including how many steps are drawn
  bool measured = true;
};

// `files`: as on a command line, for the commands shown on the page.
[[nodiscard]] ReportContent run_content(const record::Results& results,
                                        const std::vector<std::string>& files,
                                        const DrawOptions& draw);

[[nodiscard]] ReportContent verdict_content(std::span<const compare::Comparison> comparisons,
                                            const DrawOptions& draw);
// `data`: the night as JSON.
[[nodiscard]] ReportContent night_content(const ShownNight& shown, NightView view,
                                          std::string data);
// `events`: recorded events of the history's alerts.
[[nodiscard]] ReportContent history_content(const track::History& history,
                                            std::span<const track::TrackEvent> events,
                                            const JudgedNights& judged);
[[nodiscard]] ReportContent analysis_content(std::span<const AnalysedTrace> traces,
                                             const DrawOptions& draw);

[[nodiscard]] ReportContent diff_content(std::span<const analyze::TraceDiff> diffs,
                                         const DrawOptions& draw);
// For a failed `command`: replaces an old page, which could be mistaken for its result.
[[nodiscard]] ReportContent error_content(const std::string& command, const std::string& message,
                                          int exit_status);

// Moves the first figure of `from`, if it has one, to position `at` of `to` and unfolds it, so that
// it is on the first screen.
void move_first_figure(document::Chapter& from, document::Chapter& to, std::ptrdiff_t at);

// Throws ConfigError at --section if the content lacks a section.
[[nodiscard]] Report report_of(ReportContent content, const ReportOptions& options);

}  // namespace stepbench::report
