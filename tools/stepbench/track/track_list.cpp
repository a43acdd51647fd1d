// SPDX-License-Identifier: Apache-2.0
// What a history holds, for people (`list`), for programs (`export`), and why it is split
// (`why-split`).
#include <algorithm>
#include <iterator>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/document/render.h"
#include "harness/report/history_document.h"
#include "harness/report/history_export.h"
#include "harness/report/series_names.h"
#include "harness/report/split_document.h"
#include "harness/text/words.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/track/track_command.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kTrackListExamples = R"(Examples:
  stepbench track list
  stepbench track list --all                   also the phases, which explain a step
  stepbench track list --db sqlite:other.db

A series is one metric of one case on one kind of machine. Its id's first digits name it in other
commands.

Exit status: 0, 2 wrong usage, or there is no history, 4 the history is empty.)";

constexpr const char* kTrackExportExamples = R"(Examples:
  stepbench track export > history.csv
  stepbench track export --format json > history.json

One line of CSV for each point: its series, its night, the value with its interval (95 %; the value
itself where fewer than six launches were measured), the control case's step of that night and the
value as a multiple of it. Times are nanoseconds. results/SCHEMA.md describes the JSON.

Exit status: 0, 2 wrong usage, or there is no history, 4 the history is empty.)";

constexpr const char* kWhySplitExamples = R"(Examples:
  stepbench track why-split 3f2a91 77ab04      what makes them two series
  stepbench track why-split 3f2a91             where its level begins anew, and why
  stepbench track why-split train num_workers=2
  stepbench track why-split "train num_workers=0" "train num_workers=2" --metric peak_bytes

Two series differ in workload, case, metric or machine. One series is cut into segments where the
environment changes: torch, driver, kernel (first two numbers), settings. Points on both sides of a
cut are not set beside each other.

Exit status: 0, 2 wrong usage: no such series, or several.)";

struct ListArguments {
  bool whole = false;
  HistoryFlags history = {};
};

struct ExportArguments {
  std::string format = "csv";
  HistoryFlags history = {};
};

struct SplitArguments {
  std::vector<std::string> series = {};
  std::string metric = {};
  HistoryFlags history = {};
};

int track_list(const ListArguments& arguments, const Environment& environment) {
  track::TrackStore store = open_history(arguments.history);
  const track::History newest = store.history({.last = 1});
  const document::Document document =
      report::series_list_document(newest, store.extents(), arguments.whole);
  if (document.chapters.empty()) {
    environment.out << "the history is empty: `stepbench track add RUN` adds a night\n";
    return kExitNothingMeasured;
  }
  environment.out << document::render(
      document, {.colour = environment.colour, .columns = environment.terminal_columns});
  return kExitOk;
}

int track_export(const ExportArguments& arguments, const Environment& environment) {
  track::TrackStore store = open_history(arguments.history);
  const report::HistoryForm& form =
      arguments.format == "json" ? report::kHistoryJson : report::kHistoryCsv;
  std::ostream& out = environment.out;
  bool first = true;
  const track::History newest =
      store.each_series([&](const track::History& history, const track::SeriesHistory& one) {
        out << (std::exchange(first, false) ? form.begin(history) : form.between);
        out << form.series(one, history);
      });
  if (first) out << form.begin(newest);
  out << form.end(newest);
  return first ? kExitNothingMeasured : kExitOk;
}

// A word that begins an id is a series, and so are the words of a case in one argument: of two of
// them each. All else are words of one case.
std::vector<const track::SeriesHistory*> series_to_split(const std::vector<std::string>& words,
                                                         const std::string& metric,
                                                         const track::History& newest) {
  const report::SeriesNames names(newest);
  const auto is_series = [&](const std::string& word) {
    if (word.find(' ') != std::string::npos) return true;
    const auto found = names.meant({&word, 1}, metric);
    return found.size() == 1 && found.front()->series.id.starts_with(word);
  };
  if (words.size() != 2 || !std::ranges::all_of(words, is_series)) {
    return {&report::resolve_series(names, newest, words, metric)};
  }
  std::vector<const track::SeriesHistory*> two;
  for (const std::string& word : words) {
    std::istringstream parts(word);
    const std::vector<std::string> of_case(std::istream_iterator<std::string>(parts), {});
    two.push_back(&report::resolve_series(names, newest, of_case, metric));
  }
  return two;
}

int track_why_split(const SplitArguments& arguments, const Environment& environment) {
  track::TrackStore store = open_history(arguments.history);
  const track::History newest = store.history({.last = 1});
  const auto chosen = series_to_split(arguments.series, arguments.metric, newest);
  const track::SeriesHistory& a = *chosen.front();
  const track::SeriesHistory& b = *chosen.back();
  const document::RenderStyle how{.colour = environment.colour,
                                  .columns = environment.terminal_columns};
  if (a.series.id != b.series.id) {
    environment.out << document::render(report::series_split_document(a, b, newest), how);
    return kExitOk;
  }
  const track::History history = store.history({.series = {a.series.id}});
  environment.out << document::render(report::segments_document(history.series.front(), history),
                                      how);
  return kExitOk;
}

}  // namespace

void add_track_list(Command& track) {
  Command& command = track.add("list", "The series of the history", kTrackListExamples);
  ListArguments& arguments = command.calls(track_list);
  command.flag(kOutputOptions, "--all", arguments.whole, "Also series of phases");
  add_history(command, arguments.history);
}

void add_track_export(Command& track) {
  Command& command =
      track.add("export", "Every point of the history, for programs", kTrackExportExamples);
  ExportArguments& arguments = command.calls(track_export);
  command.option(kOutputOptions, "--format", arguments.format, "What is printed")
      .with_default()
      .one_of({"csv", "json"});
  add_history(command, arguments.history);
}

void add_track_why_split(Command& track) {
  Command& command = track.add("why-split", "Why two series are not one, or why one begins anew",
                               kWhySplitExamples);
  SplitArguments& arguments = command.calls(track_why_split);
  command
      .argument("SERIES", arguments.series,
                "One or two ids, or their first digits, or words of a case as `track show` "
                "takes them; of two cases each in quotes",
                "SERIES")
      .required();
  command.option(kCaseOptions, "--metric NAME", arguments.metric,
                 "Metric of the case; default: its step");
  add_history(command, arguments.history);
}

}  // namespace stepbench::cli
