// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/track_options.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <utility>

#include "harness/base/error.h"
#include "harness/campaign/nightly.h"
#include "harness/document/render.h"
#include "harness/machine/environment.h"
#include "harness/nights/night_store.h"
#include "harness/report/exports.h"
#include "harness/report/night.h"
#include "harness/report/pages.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/options.h"

namespace stepbench::cli {
namespace {

std::string variable(const Environment& environment, std::string_view name) {
  for (const auto& [known, value] : environment.variables) {
    if (known == name) return value;
  }
  return {};
}

}  // namespace

void add_author_flag(Command& command, std::string& who) {
  command.option(kHistoryOptions, "--who TEXT", who,
                 "Who says so, for the record; default: the user and the machine");
}

std::string author(const std::string& who, const Environment& environment) {
  if (!who.empty()) return who;
  std::string user = variable(environment, "USER");
  if (user.empty()) user = variable(environment, "LOGNAME");
  if (user.empty()) user = "uid" + std::to_string(::getuid());
  return user + '@' + machine::host_name("/");
}

std::string now_utc() { return text::utc_text(std::chrono::system_clock::now()); }

std::string today_utc() { return now_utc().substr(0, std::string_view("2026-01-31").size()); }

CommandOption& add_history(Command& command, HistoryFlags& flags) {
  CommandOption& db =
      command
          .option(kHistoryOptions, "--db URL", flags.db,
                  "The history: sqlite:FILE, or postgresql://USER@HOST:PORT/NAME for one that "
                  "machines share")
          .with_default()
          .common();
  command.option(
      kHistoryOptions, "--events FILE", flags.events,
      "File of the events and notes of alerts; default: next to the history, for a server " +
          std::string(nights::kDefaultEvents));
  return db;
}

std::string default_history(const std::string& results) {
  return "sqlite:" + (std::filesystem::path(results) / "history.db").string();
}

nights::TrackStore open_history(const HistoryFlags& flags, bool make) {
  return nights::TrackStore::open(flags.db, {.events_file = flags.events, .make = make});
}

std::string history_words(const HistoryFlags& flags) {
  std::string words;
  if (flags.db != nights::kDefaultHistory)
    words += " --db " + text::shell_word(nights::without_password(flags.db));
  if (!flags.events.empty()) words += " --events " + text::shell_word(flags.events);
  return words;
}

void add_check_options(Command& command, CheckOptions& options) {
  command.flag(kVerdictOptions, "--allow-inconclusive", options.exit.allow_inconclusive,
               "Exit with 0 instead of 3 if the budget or a signal left something undecided");
  command
      .flag(kVerdictOptions, "--allow-known", options.exit.allow_known,
            "Do not exit with 1 for alerts of earlier nights; the page shows them")
      .common();
  add_author_flag(command, options.who);
  options.output.format = "page";
  options.output.error_json = report::night_error_json;
  add_format(command, options.output.format, {"page", "json", "markdown", "github"});
  command.option(kOutputOptions, "--verdict FILE", options.output.verdict,
                 "Also write the JSON form here");
  add_export_files(command, options.output);
}

report::ShownNight shown_night(nights::StoredNight night, nights::TrackStore& store) {
  report::ShownNight shown{.night = std::move(night.night), .history = std::move(night.history)};
  campaign::list_commits(shown.night.alerts, shown.history.runs);
  nights::HistoryQuery query{.last = report::kChartedNights};
  for (const nights::NightSeries* moved : report::moved_series(shown.night)) {
    if (query.series.size() == report::kNightCharts) break;
    query.series.push_back(moved->series.id);
  }
  if (query.series.empty()) return shown;
  query.host = shown.night.experiments.front().run.host;
  shown.moved = store.history(query);
  for (const std::string& series : query.series) {
    shown.judged[series] = store.judged_series(series, query.host);
  }
  return shown;
}

void show_night(const report::ShownNight& shown, const CheckOptions& options,
                const report::NightView& view, const Environment& environment) {
  const std::string json = report::night_json(shown, view);
  const Output& output = options.output;
  write_verdict(output, json);
  write_export_files(output,
                     [&](const report::ExportFormat& format) { return format.of_night(json, {}); });
  if (output.format == "json") {
    print(environment, json);
  } else if (output.format == "github") {
    print(environment, report::github_annotations(report::checks_of_night(json)));
  } else {
    document::Document document = report::night_document(shown, view);
    if (output.format == "markdown") {
      document.headline = report::state_words(shown.night.verdict) + ": " + document.headline;
    }
    print(environment, render(document, environment, output.format));
  }
  write_report(
      output, [&] { return report::night_content(shown, view, json); }, {}, environment);
}

}  // namespace stepbench::cli
