// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/track/check_options.h"

#include <chrono>
#include <ostream>
#include <vector>

#include "harness/base/error.h"
#include "harness/document/render.h"
#include "harness/machine/environment.h"
#include "harness/report/annotations.h"
#include "harness/report/checks.h"
#include "harness/report/html/report.h"
#include "harness/report/night_json.h"
#include "harness/text/utc.h"
#include "harness/text/words.h"
#include "tools/stepbench/campaign_context.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/verdict_output.h"

namespace stepbench::cli {
void add_check_options(Command command, CheckOptions& options) {
  campaign::CheckRequest& request = options.request;
  add_screen(command, options.screen,
             "What decides that a series moved, before it is measured again");
  const CommandOption confirm = command.flag(kVerdictOptions, "--confirm", options.confirm,
                                             "Measure again what moved; this is the default");
  command
      .flag(kVerdictOptions, "--no-confirm", options.no_confirm,
            "Do not measure again what moved: it stays suspect")
      .excludes(confirm);
  command
      .option(kVerdictOptions, "--confirmations N", request.confirmations,
              "How often a move must be there when it is measured again, before it is a "
              "regression: 1 or 2")
      .with_default()
      .whole_number(1, 2);
  command.option(kVerdictOptions, "--good PATH", request.good_worker,
                 "The last good worker program, where the history has kept none");
  command.option(kVerdictOptions, "--relinked PATH", request.relinked,
                 "Tonight's worker built once more, for the second confirmation; default: a copy "
                 "at another path");
  command
      .repeated(kVerdictOptions, "--allow WHAT", request.allow,
                "While suspects are measured again this only warns, and does not make the "
                "answer invalid")
      .one_of({"load", "steal", "throttling", "clocks", "noise", "drift"});
  command.flag(kVerdictOptions, "--allow-inconclusive", request.allow_inconclusive,
               "Exit with 0 instead of 3 where a suspicion could not be measured");
  command
      .flag(kVerdictOptions, "--allow-known", request.allow_known,
            "Do not exit with 1 for regressions that earlier nights told; the page shows them")
      .common();
  add_who(command, options.who);
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

campaign::CheckRequest complete_request(const CheckOptions& options,
                                        const Environment& environment) {
  campaign::CheckRequest request = options.request;
  request.host = machine::host_name("/");
  request.who = author(options.who, environment);
  request.now_utc = text::utc_text(std::chrono::system_clock::now());
  request.screen = one_of<track::ScreenKind>(options.screen).value_or(track::ScreenKind::kRobustZ);
  return request;
}

report::NightView night_view(const CheckOptions& options, const HistoryFlags& history) {
  return {.screen = one_of<track::ScreenKind>(options.screen).value_or(track::ScreenKind::kRobustZ),
          .history_words = history_words(history)};
}

campaign::MeasureSuspects measure_suspects(const CheckOptions& options, track::TrackStore& store,
                                           const Environment& environment, bool quiet,
                                           std::optional<run::Interrupts>& interrupts) {
  if (options.no_confirm) return {};
  return [&store, &environment, quiet, &interrupts](const campaign::ConfirmRequest& request) {
    if (!interrupts) interrupts.emplace();
    const HostClock clock;
    run::Progress progress = make_progress(environment, quiet, clock);
    return campaign::confirm_suspects(request, store, campaign_context(environment), progress,
                                      *interrupts, clock);
  };
}

void show_night(const campaign::CheckedNight& checked, const CheckOptions& options,
                const report::NightView& view, const Environment& environment) {
  const std::string json = report::night_json(checked, view);
  write_verdict(options.verdict_file, json);
  write_night_export_files(options.exports, json);
  if (options.format == "json") {
    environment.out << json;
  } else if (options.format == "github") {
    environment.out << report::github_annotations(report::checks_of_night(json));
  } else {
    document::Document document = report::night_document(checked, view);
    const bool markdown = options.format == "markdown";
    if (markdown) {
      document.headline = std::string(name_of(checked.night.verdict)) + ": " + document.headline;
    }
    environment.out << document::render(document, {.markdown = markdown,
                                                   .colour = environment.colour,
                                                   .columns = environment.terminal_columns});
  }
  environment.out.flush();
  if (!environment.out) throw ConfigError("standard output", "cannot be written");
  if (options.exports.report.empty()) return;
  write_report(options.exports,
               report::night_content(checked, report::moved_over_nights(checked, view), view, json),
               {}, environment);
}

}  // namespace stepbench::cli
