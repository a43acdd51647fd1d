// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/report/series_names.h"
#include "harness/text/age.h"
#include "harness/text/printable.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"
#include "harness/track/baseline.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/track/check_options.h"
#include "tools/stepbench/track/track_command.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kAcknowledgeExamples =
    R"(Accepts a change: the gate is green again, and what is measured now becomes the usual. The alert comes
back when its date has passed, or when the change grows beyond what was accepted.

Examples:
  stepbench track acknowledge A17 --reason "new normalisation layer, see the pull request"
  stepbench track acknowledge A17 --reason "fix is under way" --until 2w
  stepbench track acknowledge A17 --reason "checks of inputs" --expect +3%

Exit status: 0, 2 wrong usage: no such alert, a date that has passed, nothing to accept.)";

constexpr const char* kIgnoreExamples =
    R"(Leaves a series out of the verdict: it is stored and not judged. --end looks at it again.

Examples:
  stepbench track ignore train num_workers=0 --reason "only there to show the extreme"
  stepbench track ignore 3f2a91 --reason "disk is being replaced" --until 30d
  stepbench track ignore 3f2a91 --end --reason "disk was replaced"

Exit status: 0, 2 wrong usage: no such series, or several.)";

constexpr const char* kBaselineExamples =
    R"(Declares that from a run on its values are the usual of its experiment on its machine: all series
begin a new level there, and alerts that began up to then are fixed. After that they warm up for ten
nights.

Examples:
  stepbench track baseline set results/20260131-020000-nightly --reason "release 2.0"
  stepbench track baseline update 20260301 --reason "new loss function"

Exit status: 0, 2 wrong usage: no such run, `set` where there is one, `update` where there is none.)";

constexpr const char* kNoteExamples = R"(Examples:
  stepbench track note A17 "the new driver is being looked at with its maker"
  stepbench track note 20260131-020000-nightly "the air conditioning was off"

A note of an alert stands among its events, one of a run at its night: `track show` has both.

Exit status: 0, 2 wrong usage: no such alert or run.)";

constexpr const char* kAssignExamples = R"(Examples:
  stepbench track assign A17 anna
  stepbench track assign A17 ben --reason "he wrote the new loader"
  stepbench track assign A17 --end

Pages of the night, `track show` and the view `alert` of the history have whose an alert is.

Exit status: 0, 2 wrong usage: no such alert.)";

std::string day_utc(std::chrono::system_clock::time_point time) {
  return text::utc_text(time).substr(0, std::string("2026-01-31").size());
}

std::string today_utc() { return day_utc(std::chrono::system_clock::now()); }

// Records them with author and time.
void record_said(track::TrackStore& store, std::vector<track::TrackEvent> events,
                 const track::AlertLog& log, const WhoFlag& who, const Environment& environment) {
  track::AlertLog after = log;
  track::add_events(after, events);
  for (track::TrackEvent& event : events) {
    event.at_utc = text::utc_text(std::chrono::system_clock::now());
    event.who = author(who, environment);
  }
  store.record(events);
}

struct SayArguments {
  HistoryFlags history = {};
  WhoFlag who = {};
  std::string subject = {};              // an alert, or a run
  std::vector<std::string> series = {};  // words
  std::string metric = {};
  track::Acceptance acceptance = {};
  bool end = false;
  std::vector<std::string> words = {};  // of a note
  std::string to = {};                  // of an assignment
};

// With the day that `--until 2w` means.
track::Acceptance with_last_day(track::Acceptance acceptance) {
  if (const auto age = text::parse_age(acceptance.until)) {
    acceptance.until = day_utc(std::chrono::system_clock::now() + *age);
  }
  return acceptance;
}

int acknowledge_alert(const SayArguments& arguments, const Environment& environment) {
  const track::Acceptance acceptance = with_last_day(arguments.acceptance);
  track::TrackStore store = open_history(arguments.history);
  const track::AlertLog log = track::fold_alerts(store.events());
  const track::TrackEvent event =
      track::acknowledge(log, arguments.subject, acceptance, today_utc());
  record_said(store, {event}, log, arguments.who, environment);
  environment.out << event.alert_id << " is acknowledged";
  if (!acceptance.until.empty()) {
    environment.out << " until " << acceptance.until << "; it comes back after that\n";
  } else if (!acceptance.expect.empty()) {
    environment.out << "; it comes back when the change grows beyond "
                    << text::printable(acceptance.expect) << '\n';
  } else {
    environment.out << "; what is measured now is the usual\n";
  }
  return kExitOk;
}

int ignore_one(const SayArguments& arguments, const Environment& environment) {
  const track::Acceptance acceptance = with_last_day(arguments.acceptance);
  track::TrackStore store = open_history(arguments.history);
  const track::History history = store.history({.last = 1});
  const report::SeriesNames names(history);
  const track::TrackedSeries& series =
      report::resolve_series(names, history, arguments.series, arguments.metric).series;
  const track::TrackEvent event =
      arguments.end
          ? track::watch_series(series, acceptance.reason)
          : track::ignore_series(series, acceptance.reason, acceptance.until, today_utc());
  record_said(store, {event}, {}, arguments.who, environment);
  environment.out << text::printable(names.name(series)) << " (" << names.short_id(series.id) << ')'
                  << (arguments.end ? " is looked at again\n" : " is ignored");
  if (!arguments.end) {
    environment.out << (acceptance.until.empty() ? "" : " until " + acceptance.until) << '\n';
  }
  return kExitOk;
}

int move_baseline(track::BaselineMove move, const SayArguments& arguments,
                  const Environment& environment) {
  track::TrackStore store = open_history(arguments.history);
  const std::vector<track::TrackedRun> runs = store.runs();
  const std::vector<track::TrackEvent> events = store.events();
  const track::AlertLog log = track::fold_alerts(events);
  const track::TrackedRun& run = track::resolve_run(arguments.subject, runs, "RUN");
  const std::vector<track::TrackEvent> fresh =
      track::set_baseline(move, run, log, events, runs, arguments.acceptance.reason);
  record_said(store, fresh, log, arguments.who, environment);
  environment.out << text::printable(run.experiment) << " on " << text::printable(run.host)
                  << ": the usual begins with " << text::printable(run.run_id) << '\n';
  for (const track::TrackEvent& event : fresh) {
    if (!event.alert_id.empty()) environment.out << event.alert_id << " is fixed by it\n";
  }
  return kExitOk;
}

bool names_alert(const std::string& subject, const track::AlertLog& log) {
  std::string id = subject;
  if (!id.empty() && id.front() == 'a') id.front() = 'A';
  return log.find(id) != nullptr;
}

int note(const SayArguments& arguments, const Environment& environment) {
  track::TrackStore store = open_history(arguments.history);
  const track::AlertLog log = track::fold_alerts(store.events());
  const std::string words = text::join(arguments.words, " ");
  const bool of_alert = names_alert(arguments.subject, log);
  const track::TrackEvent event =
      of_alert
          ? track::note_alert(track::resolve_alert(arguments.subject, log), words)
          : track::note_run(track::resolve_run(arguments.subject, store.runs(), "ALERT"), words);
  record_said(store, {event}, log, arguments.who, environment);
  environment.out << text::printable(of_alert ? event.alert_id : text_of(event.details, "run"))
                  << ": " << text::printable(words) << '\n';
  return kExitOk;
}

int assign(const SayArguments& arguments, const Environment& environment) {
  if (arguments.to.empty() && !arguments.end) throw ConfigError("WHO", "say whose it is, or --end");
  track::TrackStore store = open_history(arguments.history);
  const track::AlertLog log = track::fold_alerts(store.events());
  const track::TrackEvent event =
      track::assign_alert(track::resolve_alert(arguments.subject, log),
                          arguments.end ? "" : arguments.to, arguments.acceptance.reason);
  record_said(store, {event}, log, arguments.who, environment);
  environment.out << event.alert_id
                  << (arguments.end ? " is nobody's"
                                    : " is assigned to " + text::printable(arguments.to))
                  << '\n';
  return kExitOk;
}

void add_reason(Command command, SayArguments& arguments) {
  command.option(kVerdictOptions, "--reason TEXT", arguments.acceptance.reason,
                 "Why, for those who come later; kept with your name");
}

void add_until(Command command, SayArguments& arguments, const char* doc) {
  command.option(kVerdictOptions, "--until DATE", arguments.acceptance.until, doc);
}

void add_one_baseline(Command baseline, track::BaselineMove move, const char* name,
                      const char* doc) {
  const auto arguments = std::make_shared<SayArguments>();
  const Command command = baseline.add(name, doc, kBaselineExamples);
  command.argument("RUN", arguments->subject, "A run of the history: its folder or id", "RUN")
      .required();
  add_reason(command, *arguments);
  add_who(command, arguments->who);
  add_history(command, arguments->history);
  command.on_call([arguments, move, &environment = command.environment()] {
    return move_baseline(move, *arguments, environment);
  });
}

}  // namespace

void add_track_acknowledge(Command track) {
  const Command command =
      track.add("acknowledge", "Accept the change of an alert", kAcknowledgeExamples);
  SayArguments& arguments = command.calls(acknowledge_alert);
  command.argument("ALERT", arguments.subject, "The alert's id: A17", "ALERT").required();
  add_reason(command, arguments);
  add_until(command, arguments, "The last day on which it is accepted: a date, or 2w");
  command.option(kVerdictOptions, "--expect PERCENT", arguments.acceptance.expect,
                 "The change that is accepted; beyond it the alert comes back");
  add_who(command, arguments.who);
  add_history(command, arguments.history);
}

void add_track_note(Command track) {
  const Command command = track.add("note", "Write down what people should know", kNoteExamples);
  SayArguments& arguments = command.calls(note);
  command
      .argument("SUBJECT", arguments.subject, "An alert's id, or a run of the history", "ALERT|RUN")
      .required();
  command.argument("TEXT", arguments.words, "What they should know", "TEXT").required();
  add_who(command, arguments.who);
  add_history(command, arguments.history);
}

void add_track_assign(Command track) {
  const Command command = track.add("assign", "Say whose an alert is to look at", kAssignExamples);
  SayArguments& arguments = command.calls(assign);
  command.argument("ALERT", arguments.subject, "The alert's id: A17", "ALERT").required();
  const CommandOption to = command.argument("WHO", arguments.to, "Whose it is", "TEXT");
  to.excludes(command.flag(kVerdictOptions, "--end", arguments.end, "It is nobody's any more"));
  add_reason(command, arguments);
  add_who(command, arguments.who);
  add_history(command, arguments.history);
}

void add_track_ignore(Command track) {
  const Command command = track.add("ignore", "Leave a series out of the verdict", kIgnoreExamples);
  SayArguments& arguments = command.calls(ignore_one);
  command
      .argument("SERIES", arguments.series,
                "The begin of its id, or words of its case: experiment, option=value, metric",
                "SERIES")
      .required();
  add_reason(command, arguments);
  add_until(command, arguments, "The last day on which it is ignored: a date, or 2w");
  command.option(kCaseOptions, "--metric NAME", arguments.metric,
                 "Its metric, where the case has several");
  command.flag(kVerdictOptions, "--end", arguments.end, "Look at it again");
  add_who(command, arguments.who);
  add_history(command, arguments.history);
}

void add_track_baseline(Command track) {
  const Command baseline =
      track.add("baseline", "Declare a run to be the usual from there on", kBaselineExamples);
  baseline.needs_command();
  add_one_baseline(baseline, track::BaselineMove::kSet, "set", "The first one of an experiment");
  add_one_baseline(baseline, track::BaselineMove::kUpdate, "update", "Another one in its place");
}

}  // namespace stepbench::cli
