// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/track/check_options.h"

#include <ostream>
#include <utility>

#include "harness/base/error.h"
#include "harness/campaign/range_commits.h"
#include "harness/document/render.h"
#include "harness/report/checks.h"
#include "harness/report/exports.h"
#include "harness/report/html/report.h"
#include "harness/report/night_json.h"
#include "harness/report/night_words.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/verdict_output.h"

namespace stepbench::cli {

void add_check_options(Command& command, CheckOptions& options) {
  command.flag(kVerdictOptions, "--allow-inconclusive", options.exit.allow_inconclusive,
               "Exit with 0 instead of 3 if the budget or a signal left something undecided");
  command
      .flag(kVerdictOptions, "--allow-known", options.exit.allow_known,
            "Do not exit with 1 for alerts of earlier nights; the page shows them")
      .common();
  add_author_flag(command, options.who);
  add_format(command, options.format, {"page", "json", "markdown", "github"});
  command.option(kOutputOptions, "--verdict FILE", options.verdict_file,
                 "Also write the JSON form here");
  add_export_files(command, options.exports);
}

void write_no_night(const CheckOptions& options, const std::string& command, int exit_status,
                    const std::string& text) {
  write_verdict(options.verdict_file, report::night_error_json(exit_status, text));
  write_error_export_files(options.exports, command, text, exit_status);
}

report::ShownNight shown_night(nights::StoredNight night, track::TrackStore& store) {
  report::ShownNight shown{.night = std::move(night.night), .history = std::move(night.history)};
  campaign::list_commits(shown.night.alerts, shown.history.runs);
  track::HistoryQuery query{.last = report::kChartedNights};
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
  write_verdict(options.verdict_file, json);
  write_night_export_files(options.exports, json);
  if (options.format == "json") {
    environment.out << json;
  } else if (options.format == "github") {
    environment.out << report::github_annotations(report::checks_of_night(json));
  } else {
    document::Document document = report::night_document(shown, view);
    const bool markdown = options.format == "markdown";
    if (markdown) {
      document.headline = report::state_words(shown.night.verdict) + ": " + document.headline;
    }
    environment.out << document::render(document, {.markdown = markdown,
                                                   .colour = environment.colour,
                                                   .columns = environment.terminal_columns});
  }
  environment.out.flush();
  if (!environment.out) throw ConfigError("standard output", "cannot be written");
  if (options.exports.report.empty()) return;
  write_report(options.exports, report::night_content(shown, view, json), {}, environment);
}

}  // namespace stepbench::cli
