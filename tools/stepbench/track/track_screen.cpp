// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/document/render.h"
#include "harness/foreign/as_history.h"
#include "harness/foreign/read_foreign.h"
#include "harness/report/screened_series.h"
#include "harness/text/printable.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/track/foreign_options.h"
#include "tools/stepbench/track/track_command.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

constexpr const char* kTrackScreenExamples =
    R"(Looks at the series of a file, without a history: where their levels changed, and in which nights the
screen of `track check` would have asked for a measurement. Nothing is stored.

Examples:
  stepbench track screen nights.csv                           every column of numbers
  stepbench track screen nights.csv --value-column ms --method otava
  stepbench track screen nights.csv --value-column ms --case-column benchmark --format json
  stepbench track screen results.json --screen otava2

`divisive`, which charts show, is E-divisive with permutations; where neighbouring nights are alike it
asks more. `otava` is the method of Apache Otava with its own defaults. `row` counts from 1, `index`
in JSON from 0: the first value after the change.

Exit status: 0, 2 wrong usage or a file that cannot be read, 4 it has no values.)";

struct TrackScreenArguments {
  std::vector<std::string> files = {};
  foreign::ForeignOptions foreign = {.guess = true};
  track::ScreenChoice choice = {};
  std::string screen = "robust_z";
  std::int64_t window = 50;
  std::optional<double> max_p = {};
  std::optional<double> min_change = {};
  std::string format = "page";
};

track::ScreenChoice choice_of(const TrackScreenArguments& arguments) {
  track::ScreenChoice choice = arguments.choice;
  choice.screen = track::screen_of(arguments.screen).value_or(track::ScreenKind::kRobustZ);
  choice.otava.window = static_cast<std::size_t>(arguments.window);
  constexpr double kPercent = 100;
  if (arguments.max_p) choice.otava.max_p = choice.divisive.max_p = *arguments.max_p;
  if (arguments.min_change) {
    choice.otava.min_magnitude = choice.divisive.min_magnitude = *arguments.min_change / kPercent;
  }
  return choice;
}

int track_screen(const TrackScreenArguments& arguments, const Environment& environment) {
  const track::ScreenChoice choice = choice_of(arguments);
  track::Import import;
  for (const std::string& file : arguments.files) {
    track::Import one = foreign::read_foreign(file, complete(arguments.foreign));
    for (const std::string& note : one.notes) {
      environment.err << "note: " << text::printable(note) << '\n';
    }
    import.runs.insert(import.runs.end(), std::make_move_iterator(one.runs.begin()),
                       std::make_move_iterator(one.runs.end()));
  }
  const track::History history = foreign::as_history(import);
  if (history.series.empty()) {
    environment.err << "stepbench: there are no values\n";
    return kExitNothingMeasured;
  }
  const report::SeriesNames names(history);
  std::vector<track::ScreenedSeries> all;
  for (const track::SeriesHistory& one : history.series) {
    all.push_back(track::screened_series(one, choice));
  }
  if (arguments.format == "json") {
    environment.out << report::screened_json(all, history, names, choice);
    return kExitOk;
  }
  for (const track::ScreenedSeries& one : all) {
    if (&one != &all.front()) environment.out << '\n';
    environment.out << document::render(
        report::screened_document(one, history, names, choice),
        {.colour = environment.colour, .columns = environment.terminal_columns});
  }
  return kExitOk;
}

}  // namespace

void add_track_screen(Command track) {
  const Command command =
      track.add("screen", "Where the levels of any file's series changed", kTrackScreenExamples);
  TrackScreenArguments& arguments = command.calls(track_screen);
  command
      .argument("FILE", arguments.files,
                "CSV, or JSON of pytest-benchmark, Google Benchmark, asv or of numbers", "FILE")
      .required();
  command
      .option(kVerdictOptions, "--method", arguments.choice.method,
              "How changes of a level are found")
      .with_default()
      .one_of({"divisive", "otava"})
      .common();
  command
      .option(kVerdictOptions, "--window N", arguments.window,
              "otava: so many values are looked at together")
      .with_default()
      .whole_number(4, 10'000);
  command
      .option(kVerdictOptions, "--max-p P", arguments.max_p,
              "A change that chance makes more often is none; default: .01, "
              "of otava .001")
      .number(0, 1, "");
  command
      .option(kVerdictOptions, "--min-change PERCENT", arguments.min_change,
              "A smaller change is none; default: 2 %, of otava 0")
      .number(0, 1000, "%")
      .common();
  add_screen(command, arguments.screen,
             "What `track check` would have looked with in each of its nights");
  add_foreign_options(command, arguments.foreign);
  add_format(command, arguments.format, {"page", "json"});
}

}  // namespace stepbench::cli
