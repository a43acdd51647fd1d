// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/nightly.h"
#include "harness/nights/merged_cases.h"
#include "harness/nights/night_store.h"
#include "harness/report/history.h"
#include "harness/text/printable.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/track_options.h"
#include "tools/stepbench/options.h"
#include "workloads/built_in.h"

namespace stepbench::cli {
namespace {

struct MergeArguments {
  std::string from = {};
  std::string into = {};
  std::string reason = {};
  bool dry_run = false;
  std::string who = {};
  HistoryFlags history = {};
};

// Finds the case by a prefix of its own id or of the id of one of its series.
const nights::TrackedSeries& case_meant(const nights::History& history, const char* argument,
                                        const std::string& word) {
  std::set<std::string> ids;
  const nights::TrackedSeries* found = nullptr;
  for (const nights::SeriesHistory& one : history.series) {
    const nights::TrackedSeries& series = one.series;
    if (word.empty() || (!series.id.starts_with(word) && !series.case_id.starts_with(word))) {
      continue;
    }
    ids.insert(series.case_id);
    found = &series;
  }
  if (ids.size() == 1) return *found;
  throw ConfigError(argument, ids.empty() ? "no series or case of this history begins with '" +
                                                word + "'; `stepbench track list` shows them"
                                          : "'" + word + "' begins the ids of " +
                                                text::counted(std::ssize(ids), "case") + ": " +
                                                text::join(ids) + "; give more digits");
}

std::vector<nights::MergedCase> wanted_merges(const MergeArguments& arguments,
                                              const nights::History& history) {
  if (arguments.from.empty()) {
    return campaign::split_cases(history, built_in_catalogue(), built_in_rules());
  }
  if (arguments.into.empty()) throw ConfigError("INTO", "missing the case to join it with");
  const nights::TrackedSeries& into = case_meant(history, "INTO", arguments.into);
  return {{.from = case_meant(history, "FROM", arguments.from).case_id,
           .into = into.case_id,
           .options = into.options}};
}

std::string nights_text(std::size_t nights, const std::string& first, const std::string& last) {
  std::string text = text::counted(static_cast<std::int64_t>(nights), "night");
  if (nights > 0) text += first == last ? ", " + first : ", " + first + " to " + last;
  return text;
}

void print_merge(const nights::CaseMerge& merge, const nights::History& history,
                 std::ostream& out) {
  constexpr std::size_t kDigits = 8;
  const auto from =
      std::ranges::find(history.series, merge.merged.from,
                        [](const nights::SeriesHistory& each) { return each.series.case_id; });
  if (from != history.series.end()) {
    out << text::printable(report::SeriesNames(history).case_name(from->series)) << ": ";
  }
  out << "case " << merge.merged.from.substr(0, kDigits) << " ("
      << nights_text(merge.from_nights, merge.from_first, merge.from_last) << ") goes into case "
      << merge.merged.into.substr(0, kDigits) << " ("
      << nights_text(merge.into_nights, merge.into_first, merge.into_last) << "), " << merge.series
      << " series\n";
  for (const nights::FieldSplit& split : merge.differ) {
    out << "  " << text::printable(split.field + ": " + split.a + " -> " + split.b) << '\n';
  }
  if (merge.among > 0) {
    out << "  " << text::counted(static_cast<std::int64_t>(merge.among), "night")
        << " of one are between nights of the other: points are ordered by night\n";
  }
}

int track_merge(const MergeArguments& arguments, const Environment& environment) {
  nights::TrackStore store = open_history(arguments.history);
  const nights::History history = store.history();
  std::vector<nights::TrackEvent> events;
  for (const nights::MergedCase& merged : wanted_merges(arguments, history)) {
    print_merge(nights::plan_merge(history, merged), history, environment.out);
    nights::TrackEvent event = nights::event_of(merged, arguments.reason);
    event.at_utc = now_utc();
    event.who = author(arguments.who, environment);
    events.push_back(std::move(event));
  }
  if (events.empty()) {
    environment.out << "no case of this history has changed its id\n";
    return kExitOk;
  }
  if (arguments.dry_run) {
    environment.out << "nothing changed; without --dry-run they are joined\n";
    return kExitOk;
  }
  store.record(events);
  environment.out << "joined\n";
  return kExitOk;
}

}  // namespace

void add_track_merge(Command& command) {
  MergeArguments& arguments = command.calls(track_merge);
  const char* const doc = "The first digits of a case's id, or of one of its series";
  command.argument("FROM", arguments.from, doc, "FROM");
  command.argument("INTO", arguments.into, doc, "INTO");
  command.flag(kOptions, "--dry-run", arguments.dry_run, "Only print what would be joined");
  command.option(kOptions, "--reason TEXT", arguments.reason, "Reason, kept with your name");
  add_author_flag(command, arguments.who);
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
