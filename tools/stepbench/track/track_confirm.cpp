// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <ostream>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/confirm_by_hand.h"
#include "harness/document/render.h"
#include "harness/machine/environment.h"
#include "harness/report/confirm_text.h"
#include "harness/text/utc.h"
#include "tools/stepbench/campaign_context.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/track/check_options.h"
#include "tools/stepbench/track/track_command.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kTrackConfirmExamples =
    R"(Measures the named series now: 20 pairs of launches, tonight's program and the last good one in
turns, and what was there once more with both programs at other paths. It is there if the one-sided
p is below 0.005 and the change is beyond 1 % with its 95 % bound. A new measurement each time; one
that was cut off is gone on with. What is measured for an open alert is recorded with it.

Examples:
  stepbench track confirm A17                            every series of an alert
  stepbench track confirm 4f2a91c0                       a series by the beginning of its id
  stepbench track confirm A17 --good old/stepbench-worker    where the last good program was not kept
  stepbench track confirm 4f2a91c0 --night 20260203 --good 20260131    two nights of the history

Exit status: 0 not reproduced, or better, 1 a regression (was there both times), 2 wrong usage or a
history that cannot be read, 3 was there once, or was not measured, 4 the measurement was disturbed,
or something else than the program changed, 130 or 143 interrupted.)";

struct TrackConfirmArguments {
  std::vector<std::string> series = {};
  campaign::HandRequest hand = {};
  HistoryFlags history = {};
  WhoFlag who = {};
  LockFlags lock = {};
  bool quiet = false;
};

// Each once. A word is an alert, for all its series, or a series.
std::vector<std::string> series_named(const std::vector<std::string>& words,
                                      const track::AlertLog& alerts, const track::History& history,
                                      const report::SeriesNames& names) {
  std::vector<std::string> ids;
  const auto add = [&](const std::string& id) {
    if (std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
  };
  for (const std::string& word : words) {
    if (const track::Alert* alert = alerts.find(word)) {
      for (const track::AlertSeries& series : alert->series) add(series.id);
    } else {
      add(report::resolve_series(names, history, {&word, 1}, {}).series.id);
    }
  }
  return ids;
}

void record_answers(const campaign::ConfirmedNight& measured,
                    const campaign::ConfirmRequest& request, track::TrackStore& store) {
  const track::AlertLog alerts = track::fold_alerts(store.events());
  std::vector<track::TrackEvent> events = campaign::events_by_hand(
      measured, request.tonight, request.good ? request.good->run_id : std::string(), alerts);
  for (track::TrackEvent& event : events) {
    event.at_utc = text::utc_text(std::chrono::system_clock::now());
    event.who = request.who;
  }
  if (!events.empty()) store.record(events);
}

int track_confirm(const TrackConfirmArguments& arguments, const Environment& environment) {
  track::TrackStore store = open_history(arguments.history);
  const track::History history = store.history({.host = machine::host_name("/")});
  const track::AlertLog alerts = track::fold_alerts(store.events());
  const report::SeriesNames names(history);
  campaign::HandRequest hand = arguments.hand;
  hand.series = series_named(arguments.series, alerts, history, names);
  hand.basis.reuse = false;
  hand.basis.lock = campaign::lock_policy(arguments.lock.none, arguments.lock.wait);
  hand.basis.who = author(arguments.who, environment);
  const std::vector<campaign::ConfirmRequest> requests =
      campaign::requests_by_hand(hand, history, alerts);
  const campaign::CampaignContext context = campaign_context(environment);
  const HostClock clock;
  run::Progress progress = make_progress(environment, arguments.quiet, clock);
  run::Interrupts interrupts;
  std::vector<campaign::ConfirmedNight> measured;
  for (const campaign::ConfirmRequest& request : requests) {
    measured.push_back(
        campaign::confirm_suspects(request, store, context, progress, interrupts, clock));
    record_answers(measured.back(), request, store);
    if (measured.size() > 1) environment.out << '\n';
    environment.out << document::render(
        report::confirmation_document(measured.back(), request, names),
        {.colour = environment.colour, .columns = environment.terminal_columns});
    environment.out << std::flush;
    if (measured.back().signal) return exit_status_of_signal(*measured.back().signal);
  }
  return campaign::exit_code_of(measured);
}

}  // namespace

void add_track_confirm(Command track) {
  const Command command =
      track.add("confirm", "Measure series again, the last good program against tonight's",
                kTrackConfirmExamples);
  TrackConfirmArguments& arguments = command.calls(track_confirm);
  campaign::ConfirmRequest& basis = arguments.hand.basis;
  command
      .argument("SERIES", arguments.series,
                "Series, by the beginning of their ids or by a word that fits no other, and "
                "alerts (A17)",
                "SERIES")
      .required();
  command.option(kCaseOptions, "--night RUN", arguments.hand.night,
                 "The run to measure again, by the beginning of its id; default: the newest that "
                 "has the series");
  command
      .option(kMeasureOptions, "--good PATH", arguments.hand.good,
              "The last good worker program, or a run of the history; default: that of the "
              "alert, or the newest run before with another build")
      .common();
  command.option(kMeasureOptions, "--relinked PATH", basis.relinked,
                 "Tonight's worker built once more, for the second confirmation; default: a copy "
                 "at another path");
  command
      .option(kMeasureOptions, "--confirmations N", basis.confirmations,
              "How often it is measured; with 1 it is at most `reproduced`")
      .with_default()
      .whole_number(1, 2);
  command.repeated(
      kVerdictOptions, "--allow WHAT", basis.allow,
      "`load`, `steal`, `throttling`, `clocks`: where the machine may have favoured a build, only "
      "warn");
  add_lock_flags(command, arguments.lock);
  add_results(command, basis.results, "Folder in which the measurements are made");
  add_who(command, arguments.who);
  add_history(command, arguments.history);
  add_quiet(command, arguments.quiet);
}

}  // namespace stepbench::cli
