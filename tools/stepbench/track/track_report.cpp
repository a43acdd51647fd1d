// SPDX-License-Identifier: Apache-2.0
// `track report`: the history as static pages.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <ostream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/nightly.h"
#include "harness/os/files.h"
#include "harness/report/pages.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/track_options.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSite = "--site";
constexpr std::size_t kListedAlerts = 100;  // newest alerts whose commits are looked up in git

struct TrackReportArguments {
  HistoryFlags history = {};
  std::string site = {};
  std::string title = "History";
  std::string plotly = {};
};

// True for an incomplete site. The index is written last: until then there are only pages, their
// script, and partial files of a program that was killed.
bool is_begun_site(const fs::path& folder) {
  bool has_page = false;
  bool has_script = false;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    const std::string whole = name.substr(0, name.rfind(os::kUnfinishedPart));
    if (!report::is_site_page(whole) && whole != report::kSiteIndex &&
        whole != report::kSitePlotly) {
      return false;
    }
    has_page = has_page || report::is_site_page(name);
    has_script = has_script || name == report::kSitePlotly;
  }
  return has_page || !has_script;
}

// Accepts a new folder, an empty one, or a site of ours; never mixes with or replaces other files.
void check_site_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw ConfigError(kSite, folder.string() + " cannot be made: " + error.message());
  }
  const bool is_site = fs::is_regular_file(folder / report::kSiteIndex, error);
  if (!is_site && !is_begun_site(folder)) {
    throw ConfigError(kSite,
                      folder.string() +
                          " holds files, but not a site of stepbench: they stay as they are. "
                          "Name a new or an empty folder");
  }
  os::check_files({.outputs = {{kSite, folder / report::kSiteIndex}}});
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw ConfigError(
        kSite, folder.string() + " cannot be written: " + std::generic_category().message(errno));
  }
}

class SiteWriter {
 public:
  explicit SiteWriter(fs::path folder) : folder_(std::move(folder)) {}

  void write(const report::SiteFile& file) {
    const fs::path path = folder_ / file.name;
    if (file.name != report::kSitePlotly) os::check_files({.outputs = {{kSite, path}}});
    os::write_output_file(kSite, path, file.text);
    bytes_ += file.text.size();
  }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  fs::path folder_;
  std::size_t bytes_ = 0;
};

int report_history(const TrackReportArguments& arguments, const Environment& environment) {
  const fs::path folder = arguments.site;
  nights::TrackStore store = open_history(arguments.history);
  check_site_folder(folder);
  const report::ReportOptions options = report_options({.plotly = arguments.plotly}, environment);

  const std::vector<nights::TrackEvent> events = store.events();
  nights::AlertLog log = nights::fold_alerts(events);
  const nights::History newest = store.history({.last = 1});
  const std::size_t first = log.alerts.size() - std::min(log.alerts.size(), kListedAlerts);
  campaign::list_commits(log, newest.runs, [&](const nights::Alert& alert) {
    return alert.state == nights::AlertState::kOpen || &alert >= log.alerts.data() + first;
  });
  const std::string today = today_utc();
  report::HistorySite site(newest, log, events, judged_nights(store),
                           {.plotly = options.plotly,
                            .title = arguments.title,
                            .today = today,
                            .history_words = history_words(arguments.history)});
  SiteWriter writer(folder);
  store.each_series([&](const nights::History& history, const nights::SeriesHistory& one) {
    writer.write(site.series(one, history));
  });
  for (const nights::Alert& alert : log.alerts) writer.write(site.alert(alert));
  for (const report::SiteFile& file : site.scripts()) writer.write(file);
  writer.write(site.index());
  environment.out << text::counted(std::ssize(newest.series), "series") << ", "
                  << text::counted(std::ssize(log.alerts), "alert") << ", "
                  << text::significant(static_cast<double>(writer.bytes()) / 1e6, 2)
                  << " MB: " << text::printable((folder / report::kSiteIndex).string()) << '\n';
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
