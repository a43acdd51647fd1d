// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/nightly.h"
#include "harness/nights/acts.h"
#include "harness/nights/night_store.h"
#include "harness/report/history.h"
#include "harness/report/night.h"
#include "harness/text/printable.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/track_options.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

struct TrackShowArguments {
  HistoryFlags history = {};
  std::vector<std::string> words = {};
  std::string metric = {};
  bool open = false;
  std::size_t nights = report::kChartColumns;
  std::string format = "page";
};

int show_tracked(const TrackShowArguments& arguments, const Environment& environment) {
  const bool json = arguments.format == "json";
  const auto print_document = [&](const document::Document& document) {
    environment.out << render(document, environment);
  };
  const std::string words = history_words(arguments.history);
  nights::TrackStore store = open_history(arguments.history);
  const std::vector<nights::TrackEvent> events = store.events();
  nights::AlertLog log = nights::fold_alerts(events);
  if (arguments.open && !arguments.words.empty()) {
    throw ConfigError("--open", "lists all open alerts; name a series or an alert, or neither");
  }
  const std::string today = today_utc();
  const auto print_stale = [&](const nights::Alert& alert, const nights::History& history) {
    const std::string stale = report::stale_alert_words(alert, history.runs, today, words);
    if (!json && !stale.empty()) environment.out << text::printable(stale) << '\n';
  };
  if (arguments.words.empty()) {
    const nights::History history = store.history({.last = 1});
    if (json) {
      environment.out << report::waiting_alerts_json(log, history, words);
    } else {
      print_document(report::open_alerts_document(log, report::SeriesNames(history), today));
    }
    for (const nights::Alert& alert : log.alerts) print_stale(alert, history);
    return kExitOk;
  }
  if (arguments.words.size() == 1 && nights::is_alert_id(arguments.words.front())) {
    const nights::History history = store.history({.last = 1});
    const std::string id = nights::resolve_alert(arguments.words.front(), log).id;
    campaign::list_commits(log, history.runs,
                           [&](const nights::Alert& each) { return each.id == id; });
    const nights::Alert& alert = *log.find(id);
    if (json) {
      environment.out << report::alert_json(alert, history, words);
    } else {
      const report::SeriesNames names(history);
      print_document(report::alert_document(alert, history, names,
                                            report::alert_charts(alert, log, names, store), words));
    }
    print_stale(alert, history);
    return kExitOk;
  }
  const nights::History newest = store.history({.last = 1});
  const report::SeriesNames names(newest);
  const nights::TrackedSeries& series =
      report::resolve_series(names, newest, arguments.words, arguments.metric).series;
  const nights::History history = store.history({.series = {series.id}});
  const report::HistoryView view = report::view_of(
      history.series.front(), history, log, events,
      report::judged_nights(store)(history.series.front(), history), arguments.nights);
  if (json) {
    environment.out << report::series_json(view, names);
  } else {
    print_document(report::series_document(view, history, names));
  }
  return kExitOk;
}

}  // namespace

void add_track_show(Command& command) {
  TrackShowArguments& arguments = command.calls(show_tracked);
  command.argument("SERIES", arguments.words,
                   "The start of a series' id or words of its case (experiment, option=value), or "
                   "an alert's id; nothing: the open alerts",
                   "SERIES");
  command.flag(kCaseOptions, "--open", arguments.open, "The open alerts, with their age");
  command
      .option(kCaseOptions, "--metric NAME", arguments.metric,
              "Metric of the case; default: its step; also peak_bytes, phases")
      .common();
  command
      .option(kOutputOptions, "--nights N", arguments.nights,
              "Show the newest N nights; in JSON more than fit a chart")
      .with_default()
      .whole_number(1, 100'000)
      .common();
  add_format(command, arguments.format, {"page", "json"});
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
