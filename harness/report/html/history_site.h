// SPDX-License-Identifier: Apache-2.0
// A history as static pages in one folder: an index with the state of every series, a page for each
// series and each alert, and the script that draws the charts, once. They open from a disk and from
// any web server, and ask nothing of a network. The names of pages stay the same from night to
// night. Pure; one thread.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/report/history_tables.h"
#include "harness/report/html/plotly.h"
#include "harness/report/html/report.h"

namespace stepbench::report {

inline constexpr const char* kSiteIndex = "index.html";
inline constexpr const char* kSitePlotly = "plotly.min.js";

// A page of a series or of an alert, by its name.
[[nodiscard]] bool is_site_page(std::string_view name);

struct SiteFile {
  std::string name;
  std::string text;
};

struct SiteOptions {
  Plotly plotly = {};  // without it the pages have no charts
  std::string title = "History";
  std::string today = {};          // 2026-01-31, from which ages are counted
  std::string history_words = {};  // what follows each command line that is proposed
};

class HistorySite {
 public:
  // `newest`: of each series its newest point, and all runs; `log`: of `events`, with the commits
  // that are known. All of them outlive this.
  HistorySite(const track::History& newest, const nights::AlertLog& log,
              std::span<const track::TrackEvent> events, JudgedNights judged, SiteOptions options);

  // Of one series; once for each, before the index.
  [[nodiscard]] SiteFile series(const track::SeriesHistory& one, const track::History& history);
  // After its series.
  [[nodiscard]] SiteFile alert(const nights::Alert& alert) const;
  [[nodiscard]] SiteFile index() const;
  // kSitePlotly, once.
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
    std::string data;  // by series_json()
  };
  std::map<std::string, SeriesChart, std::less<>> charts_ = {};  // of series that have alerts
};

}  // namespace stepbench::report
