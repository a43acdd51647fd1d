// SPDX-License-Identifier: Apache-2.0
// A history as one page, and as a site of static pages in one folder: an index with the state of
// every series, a page for each series and each alert, and the script that draws the charts, once.
// The pages open from a disk and from any web server without a network; their names stay the same
// from night to night. Pure; one thread.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/history_document.h"
#include "harness/report/html/page.h"
#include "harness/report/html/report.h"

namespace stepbench::report {

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
  HistorySite(const track::History& newest, const nights::AlertLog& log,
              std::span<const track::TrackEvent> events, JudgedNights judged, SiteOptions options);

  // Page of one series; call once for each, before index().
  [[nodiscard]] SiteFile series(const track::SeriesHistory& one, const track::History& history);
  // Call after series() of its series.
  [[nodiscard]] SiteFile alert(const nights::Alert& alert) const;
  [[nodiscard]] SiteFile index() const;
  // The shared file kSitePlotly.
  [[nodiscard]] std::vector<SiteFile> scripts() const;

 private:
  [[nodiscard]] std::string page(ReportContent content) const;

  const track::History& newest_;
  const nights::AlertLog& log_;
  std::span<const track::TrackEvent> events_;
  JudgedNights judged_;
  SiteOptions options_;
  SeriesNames names_;
  std::vector<SeriesRow> rows_;
  struct SeriesChart {
    document::Figure figure;
    std::string data;  // from series_json()
  };
  // Of series with alerts, and of the first step.
  std::map<std::string, SeriesChart, std::less<>> charts_ = {};
};

}  // namespace stepbench::report
