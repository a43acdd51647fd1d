// SPDX-License-Identifier: Apache-2.0
// The pages of `stepbench report`: contents of a run, a verdict, a night, a history or traces as
// sections, and these as one HTML document with the underlying data, which needs no server and no
// network. Plotly draws the figures from the page's data; without JavaScript the tables and the
// words of the figures remain. A Content-Security-Policy lets only our script and Plotly's run, and
// nothing be fetched. read_plotly(), stored_content() and SiteFolder use files; all else is pure.
// Any thread.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/document/document.h"
#include "harness/nights/history.h"
#include "harness/record/result_file.h"
#include "harness/report/exports.h"
#include "harness/report/history.h"
#include "harness/report/internal/html/chart_json.h"
#include "harness/report/night.h"
#include "harness/verdict/comparison.h"

namespace stepbench::traces {
struct TraceDiff;
}  // namespace stepbench::traces

namespace stepbench::report {

// Plotly's script: found on disk and validated.

inline constexpr const char* kPlotlyFile = "plotly.min.js";

struct Plotly {
  std::string script;   // empty: no figures are drawn
  std::string version;  // "4.1.1"
};

// `given`: a file, or empty for plotly.min.js next to the program or in its ../share/stepbench;
// plain or gzip. Throws ConfigError at --plotly, with the places searched and the remedy, if the
// file is missing, is not Plotly, has the wrong version or is truncated.
[[nodiscard]] Plotly read_plotly(const std::string& given,
                                 const std::filesystem::path& program_dir);

// page.css, the scripts and report.schema.json, embedded by CMake.

[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view chart_script();  // not needed by pages without charts
[[nodiscard]] std::string_view page_script();
[[nodiscard]] std::string_view report_schema();

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
  bool compact = false;  // compress long data: gzip in base64
  Plotly plotly = {};
  // For one of several pages in a folder: file name of the shared Plotly script, and a link back to
  // another page.
  std::string plotly_file = {};
  document::Line back = {""};
  [[nodiscard]] bool draws() const { return !plotly.script.empty() || !plotly_file.empty(); }
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

[[nodiscard]] ReportContent verdict_content(std::span<const verdict::Comparison> comparisons,
                                            const DrawOptions& draw);
// `data`: the night as JSON.
[[nodiscard]] ReportContent night_content(const ShownNight& shown, NightView view,
                                          std::string data);
// `events`: recorded events of the history's alerts.
[[nodiscard]] ReportContent history_content(const nights::History& history,
                                            std::span<const nights::TrackEvent> events,
                                            const JudgedNights& judged);
[[nodiscard]] ReportContent analysis_content(std::span<const AnalysedTrace> traces,
                                             const DrawOptions& draw);

[[nodiscard]] ReportContent diff_content(std::span<const traces::TraceDiff> diffs,
                                         const DrawOptions& draw);
// What these files, folders or the one history hold, all of one kind. Throws ConfigError, also for
// results that are too large for a page, and LineError.
[[nodiscard]] ReportContent stored_content(ExportSource kind,
                                           const std::vector<std::string>& sources,
                                           const DrawOptions& draw);
// For a failed `command`: replaces an old page, which could be mistaken for its result.
[[nodiscard]] ReportContent error_content(const std::string& command, const std::string& message,
                                          int exit_status);

// Moves the first figure of `from`, if it has one, to position `at` of `to` and unfolds it, so that
// it is on the first screen.
void move_first_figure(document::Chapter& from, document::Chapter& to, std::ptrdiff_t at);

// `data`: JSON by the schema stepbench.report. The first lines contain
// `<meta name="generator" content="stepbench">`.
[[nodiscard]] std::string html_page(const ReportContent& content, std::string_view data,
                                    const ReportOptions& options);

// Throws ConfigError at --section if the content lacks a section.
[[nodiscard]] Report report_of(ReportContent content, const ReportOptions& options);

// A history as one page, and as a site of static pages in one folder: an index with the state of
// every series, a page for each series and each alert, and the script that draws the charts, once.
// The pages open from a disk and from any web server without a network; their names stay the same
// from night to night. Pure; one thread.

inline constexpr const char* kSiteIndex = "index.html";
inline constexpr const char* kSitePlotly = "plotly.min.js";

// True for the name of a page of a series or an alert.
[[nodiscard]] bool is_site_page(std::string_view name);

struct SiteFile {
  std::string name;
  std::string text;
};

struct SiteOptions {
  Plotly plotly = {};  // without it there are no charts
  std::string title = "History";
  std::string today = {};          // 2026-01-31; ages are relative to it
  std::string history_words = {};  // appended to each proposed command line
};

class HistorySite {
 public:
  // `newest`: all runs, and the newest point of each series. `log`: of `events`, with the known
  // commits. All must outlive this.
  HistorySite(const nights::History& newest, const nights::AlertLog& log,
              std::span<const nights::TrackEvent> events, JudgedNights judged, SiteOptions options);

  // Page of one series; call once for each, before index().
  [[nodiscard]] SiteFile series(const nights::SeriesHistory& one, const nights::History& history);
  // Call after series() of its series.
  [[nodiscard]] SiteFile alert(const nights::Alert& alert) const;
  [[nodiscard]] SiteFile index() const;
  // The shared file kSitePlotly.
  [[nodiscard]] std::vector<SiteFile> scripts() const;

 private:
  [[nodiscard]] std::string page(ReportContent content) const;

  const nights::History& newest_;
  const nights::AlertLog& log_;
  std::span<const nights::TrackEvent> events_;
  JudgedNights judged_;
  SiteOptions options_;
  SeriesNames names_;
  std::vector<SeriesRow> rows_;
  struct SeriesChart {
    document::Figure figure;
    std::string data;  // from series_json()
  };
  // Charts of series with alerts, and of the first step.
  std::map<std::string, SeriesChart, std::less<>> charts_ = {};
};

// The folder of a site, named by the option `flag`: a new one, an empty one, or a site of ours.
// Never mixes with or replaces other files. Throws ConfigError.
class SiteFolder {
 public:
  SiteFolder(std::string flag, std::filesystem::path folder);
  void write(const SiteFile& file);
  [[nodiscard]] std::size_t bytes() const { return bytes_; }  // written

 private:
  std::string flag_;
  std::filesystem::path folder_;
  std::size_t bytes_ = 0;
};

}  // namespace stepbench::report
