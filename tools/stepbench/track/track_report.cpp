// SPDX-License-Identifier: Apache-2.0
// `track report`: the history as static pages.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "harness/base/exit_status.h"
#include "harness/campaign/nightly.h"
#include "harness/report/pages.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/track_options.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListedAlerts = 100;  // newest alerts whose commits are looked up in git

struct TrackReportArguments {
  HistoryFlags history = {};
  std::string site = {};
  std::string title = "History";
  std::string plotly = {};
};

int report_history(const TrackReportArguments& arguments, const Environment& environment) {
  nights::TrackStore store = open_history(arguments.history);
  report::SiteFolder folder("--site", arguments.site);
  const report::ReportOptions options = report_options({.plotly = arguments.plotly}, environment);

  const std::vector<nights::TrackEvent> events = store.events();
  nights::AlertLog log = nights::fold_alerts(events);
  const nights::History newest = store.history({.last = 1});
  const std::size_t first = log.alerts.size() - std::min(log.alerts.size(), kListedAlerts);
  campaign::list_commits(log, newest.runs, [&](const nights::Alert& alert) {
    return alert.state == nights::AlertState::kOpen || &alert >= log.alerts.data() + first;
  });
  const std::string today = today_utc();
  report::HistorySite site(newest, log, events, report::judged_nights(store),
                           {.plotly = options.plotly,
                            .title = arguments.title,
                            .today = today,
                            .history_words = history_words(arguments.history)});
  store.each_series([&](const nights::History& history, const nights::SeriesHistory& one) {
    folder.write(site.series(one, history));
  });
  for (const nights::Alert& alert : log.alerts) folder.write(site.alert(alert));
  for (const report::SiteFile& file : site.scripts()) folder.write(file);
  folder.write(site.index());
  environment.out << text::counted(std::ssize(newest.series), "series") << ", "
                  << text::counted(std::ssize(log.alerts), "alert") << ", "
                  << text::significant(static_cast<double>(folder.bytes()) / 1e6, 2) << " MB: "
                  << text::printable((fs::path(arguments.site) / report::kSiteIndex).string())
                  << '\n';
  return newest.series.empty() ? kExitNothingMeasured : kExitOk;
}

}  // namespace

void add_track_report(Command& command) {
  TrackReportArguments& arguments = command.calls(report_history);
  command
      .option(kOutputOptions, "--site DIR", arguments.site,
              "Write the pages into this folder: a new or an empty one, or the site of before")
      .required();
  command.option(kOutputOptions, "--title TITLE", arguments.title, "Heading of the index")
      .with_default();
  add_plotly(command, arguments.plotly);
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
