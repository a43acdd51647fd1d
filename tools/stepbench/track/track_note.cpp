// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/base/format.h"
#include "harness/nights/acts.h"
#include "harness/nights/night_store.h"
#include "harness/report/history.h"
#include "harness/text/printable.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/track_options.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

// Records the events with author and time.
void record_statements(nights::TrackStore& store, std::vector<nights::TrackEvent> events,
                       const nights::AlertLog& log, const Environment& environment) {
  nights::AlertLog after = log;
  for (nights::TrackEvent& event : events) {
    nights::apply_event(after, event);
    event.at_utc = now_utc();
    event.who = author({}, environment);
  }
  store.record(events);
}

struct NoteArguments {
  HistoryFlags history = {};
  std::string subject = {};
  std::vector<std::string> words = {};
  std::string as = {};
  std::string until = {};
  std::string expect = {};
  std::string who = {};
  std::string metric = {};
};

// Run ids begin with their date; a run's folder has the same name.
bool is_run_name(const std::string& subject) {
  constexpr std::size_t kDate = 8;
  const std::string path = subject.substr(0, subject.find_last_not_of('/') + 1);
  const std::string name = std::filesystem::path(path).filename().string();
  const std::string date = name.substr(0, name.find('-'));
  return date.size() == kDate && date.find_first_not_of("0123456789") == std::string::npos;
}

// Converts `--until 2w` to a day.
std::string last_day(const std::string& until) {
  const auto age = text::parse_age(until);
  return age ? text::utc_text(std::chrono::system_clock::now() + *age).substr(0, today_utc().size())
             : until;
}

std::string words_of(const NoteArguments& arguments) { return text::join(arguments.words, " "); }

std::string alert_summary(const NoteArguments& arguments, const std::string& id,
                          const nights::Acceptance& acceptance) {
  const std::string assignee_text = "assigned to " + text::printable(arguments.who);
  if (arguments.as == "open") {
    return formatted("{} is open and {}\n", id,
                     arguments.who.empty() ? "unassigned" : assignee_text);
  }
  std::string message;
  if (arguments.as == "accepted") {
    message = id + " is accepted";
    if (!acceptance.until.empty()) {
      message += formatted(" until {}; it comes back after that\n", acceptance.until);
    } else if (!acceptance.expect.empty()) {
      message += formatted("; it comes back when the change grows beyond {}\n",
                           text::printable(acceptance.expect));
    } else {
      message += "; the current values are the usual\n";
    }
  } else if (arguments.who.empty()) {
    return formatted("{}: {}\n", id, text::printable(acceptance.reason));
  }
  return arguments.who.empty() ? message : formatted("{}{} is {}\n", message, id, assignee_text);
}

int note_alert(const NoteArguments& arguments, const Environment& environment) {
  const nights::Acceptance acceptance{.reason = words_of(arguments),
                                      .until = last_day(arguments.until),
                                      .expect = arguments.expect};
  nights::TrackStore store = open_history(arguments.history);
  const nights::AlertLog log = nights::fold_alerts(store.events(nights::WhichEvents::kStatements));
  const nights::Alert& alert = nights::resolve_alert(arguments.subject, log);
  std::vector<nights::TrackEvent> events;
  if (arguments.as == "accepted") {
    events.push_back(nights::accept_alert(alert, acceptance, today_utc()));
  } else if (arguments.as == "open") {
    events = nights::reopen_alert(alert, arguments.who, acceptance.reason);
  } else if (arguments.who.empty()) {
    events.push_back(nights::note_alert(alert, acceptance.reason));
  } else {
    events.push_back(nights::assign_alert(alert, arguments.who, acceptance.reason));
  }
  if (arguments.as == "accepted" && !arguments.who.empty()) {
    events.push_back(nights::assign_alert(alert, arguments.who, ""));
  }
  record_statements(store, events, log, environment);
  environment.out << alert_summary(arguments, alert.id, acceptance);
  return kExitOk;
}

int note_series(const NoteArguments& arguments, const Environment& environment) {
  const std::string until = last_day(arguments.until);
  const bool ignored = arguments.as == "ignored";
  nights::TrackStore store = open_history(arguments.history);
  const nights::History history = store.history({.last = 1});
  const report::SeriesNames names(history);
  std::istringstream parts(arguments.subject);
  const std::vector<std::string> of_case(std::istream_iterator<std::string>(parts), {});
  const nights::TrackedSeries& series =
      report::resolve_series(names, history, of_case, arguments.metric).series;
  const std::string reason = words_of(arguments);
  record_statements(store,
                    {ignored ? nights::ignore_series(series, reason, until, today_utc())
                             : nights::watch_series(series, reason)},
                    {}, environment);
  environment.out << text::printable(names.name(series)) << " (" << names.short_id(series.id) << ')'
                  << (ignored ? " is ignored" : " is judged again")
                  << (until.empty() ? "" : " until " + until) << '\n';
  return kExitOk;
}

int note_run(const NoteArguments& arguments, const Environment& environment) {
  nights::TrackStore store = open_history(arguments.history);
  const std::vector<nights::TrackedRun> runs = store.runs();
  const nights::AlertLog log = nights::fold_alerts(store.events(nights::WhichEvents::kStatements));
  const nights::TrackedRun& run = nights::resolve_run(arguments.subject, runs, "RUN");
  const std::string words = words_of(arguments);
  if (arguments.as.empty()) {
    record_statements(store, {nights::note_run(run, words)}, log, environment);
    environment.out << text::printable(run.run_id) << ": " << text::printable(words) << '\n';
    return kExitOk;
  }
  const std::vector<nights::TrackEvent> fresh = nights::set_baseline(run, log, runs, words);
  record_statements(store, fresh, log, environment);
  environment.out << text::printable(run.experiment) << " on " << text::printable(run.host)
                  << ": the program of the next night is the usual\n";
  for (const nights::TrackEvent& event : fresh) {
    if (!event.alert_id.empty()) environment.out << event.alert_id << " is closed\n";
  }
  return kExitOk;
}

struct NotedKind {
  std::string_view name;
  std::vector<std::string> as;  // values of --as for it
  int (*note)(const NoteArguments& arguments, const Environment& environment);
};

const NotedKind& noted_kind(const std::string& subject) {
  static const NotedKind alert = {"an alert", {"accepted", "open"}, note_alert};
  static const NotedKind series = {"a series", {"ignored", "open"}, note_series};
  static const NotedKind run = {"a run", {"baseline"}, note_run};
  if (nights::is_alert_id(subject)) return alert;
  return is_run_name(subject) ? run : series;
}

// Refuses options that do not apply to the subject or cannot be combined.
void check_note(const NoteArguments& arguments, const NotedKind& kind) {
  const bool of_alert = kind.note == note_alert;
  const bool of_series = kind.note == note_series;
  const auto refuse = [&](const char* option, const std::string& problem) {
    throw ConfigError(option, formatted("{}; '{}' is {}", problem, arguments.subject, kind.name));
  };
  // A subject that is not a series may be a misspelt alert or run.
  const std::string takes =
      formatted("{} takes {}{}", kind.name, text::join(kind.as, " or "),
                of_series ? "; an alert is named as A17, a run by its folder or id" : "");
  const bool known = std::ranges::find(kind.as, arguments.as) != kind.as.end();
  if (!arguments.as.empty() && !known) {
    throw ConfigError("--as",
                      formatted("found '{}' for '{}': {}", arguments.as, arguments.subject, takes));
  }
  if (of_series && arguments.as.empty()) {
    throw ConfigError("--as", formatted("is missing for '{}': {}", arguments.subject, takes));
  }
  if (!of_alert && !arguments.who.empty()) refuse("--who", "assigns an alert");
  if (!of_series && !arguments.metric.empty()) {
    refuse("--metric", "selects a series of a case");
  }
  if (!arguments.until.empty() && arguments.as != "accepted" && arguments.as != "ignored") {
    throw ConfigError("--until",
                      "limits how long an alert is accepted or a series ignored; add --as accepted "
                      "or --as ignored");
  }
  if (!arguments.expect.empty() && arguments.as != "accepted") {
    throw ConfigError("--expect", "limits the accepted change of an alert; add --as accepted");
  }
}

int note(const NoteArguments& arguments, const Environment& environment) {
  const NotedKind& kind = noted_kind(arguments.subject);
  check_note(arguments, kind);
  return kind.note(arguments, environment);
}

}  // namespace

void add_track_note(Command& command) {
  NoteArguments& arguments = command.calls(note);
  command
      .argument("SUBJECT", arguments.subject,
                "An alert's id, a series by its id or words of its case in quotes, or a run by its "
                "folder or id",
                "RUN")
      .required();
  command.argument("TEXT", arguments.words, "Why, or what people should know; kept with your name",
                   "TEXT");
  command.option(kVerdictOptions, "--as", arguments.as, "New state")
      .one_of({"accepted", "ignored", "baseline", "open"})
      .common();
  command
      .option(kVerdictOptions, "--until DATE", arguments.until,
              "The last day on which it is accepted or ignored: a date, or 2w")
      .common();
  command
      .option(kVerdictOptions, "--expect PERCENT", arguments.expect,
              "The change that is accepted; beyond it the alert comes back")
      .common();
  command.option(kVerdictOptions, "--who TEXT", arguments.who, "Assign the alert to this name")
      .common();
  command.option(kCaseOptions, "--metric NAME", arguments.metric,
                 "Metric of the series, where the case has several");
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
