// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/reference_program.h"
#include "harness/campaign/run_experiment.h"
#include "harness/os/file_check.h"
#include "harness/text/printable.h"
#include "harness/text/time_text.h"
#include "harness/track/history.h"
#include "harness/track/track_store.h"
#include "tools/stepbench/command_line.h"
#include "tools/stepbench/nightly_run.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/output_files.h"
#include "tools/stepbench/session.h"
#include "tools/stepbench/track/track_options.h"

namespace stepbench::cli {
namespace {

// Implements --expect-by: checks that an expected night exists. Meant for a second machine or a
// later job, because a night that never started cannot report anything.

// The 24 hours up to the last occurrence of `by` ("08:00", UTC).
struct ExpectedWithin {
  std::string from_utc = {};
  std::string by_utc = {};
};

// One sentence per experiment: when its newest night on this host began, or that there is none.
struct ExpectedNights {
  std::vector<std::string> there = {};
  std::vector<std::string> missing = {};
};

constexpr std::size_t kDateDigits = 10;  // date part of 2026-01-31T12:00:00Z

ExpectedWithin expected_within(std::string_view by, std::chrono::system_clock::time_point now) {
  const std::string today = text::utc_text(now).substr(0, kDateDigits);
  const auto time = text::parse_utc(today + ' ' + std::string(by));
  if (!time) {
    throw ConfigError("--expect-by",
                      "expected a time of day in UTC as 08:00, found '" + std::string(by) + "'");
  }
  constexpr auto kDay = std::chrono::hours(24);
  const auto last = *time <= now ? *time : *time - kDay;
  return {.from_utc = text::utc_text(last - kDay), .by_utc = text::utc_text(last)};
}

ExpectedNights expected_nights(std::span<const std::string> experiments,
                               std::span<const track::TrackedRun> runs, std::string_view host,
                               const ExpectedWithin& within) {
  ExpectedNights nights;
  for (const std::string& experiment : experiments) {
    const track::TrackedRun* newest = nullptr;
    for (const track::TrackedRun& run : runs) {
      if (run.experiment == experiment && run.host == host) newest = &run;
    }
    const std::string began =
        newest == nullptr ? std::string() : text::minute_text(newest->started_utc);
    if (newest != nullptr && newest->started_utc > within.from_utc) {
      nights.there.push_back(experiment + ": its night began at " + began);
      continue;
    }
    nights.missing.push_back(
        "no night of " + experiment + " ended by " + text::minute_text(within.by_utc) +
        (newest == nullptr ? "; no earlier night" : "; the last began at " + began));
  }
  return nights;
}

std::vector<std::string> tracked_names(const NightlyOptions& options,
                                       const campaign::CampaignContext& context) {
  std::vector<std::string> names;
  for (const std::string& file : options.files) {
    campaign::RunRequest request = options.run;
    request.file = file;
    names.push_back(campaign::tracked_name(
        campaign::plan_experiment(request, context, false).planned.plan, request.labels));
  }
  return names;
}

int ask_for_night(const NightlyOptions& options, const Environment& environment) {
  const auto now = std::chrono::system_clock::now();
  const ExpectedWithin within = expected_within(options.expect_by, now);
  const std::vector<std::string> names = tracked_names(options, campaign_context(environment));
  track::TrackStore store = open_history(options.history);
  const AlertNotifier notifier = notifier_of(options, environment);
  const ExpectedNights nights = expected_nights(names, store.runs(), notifier.host, within);
  for (const std::string& line : nights.there) environment.out << text::printable(line) << '\n';
  for (const std::string& line : nights.missing) environment.out << text::printable(line) << '\n';
  if (nights.missing.empty()) return kExitOk;
  if (!options.on_alert.empty()) {
    notify_failed_night(notifier, kExitNothingMeasured, nights.missing, environment.err);
  }
  return kExitNothingMeasured;
}

int execute_nightly(NightlyOptions options, bool has_db, const Environment& environment) {
  if (!has_db) options.history.db = default_history(options.run.results);
  return run_session(
      "stepbench nightly", options.check.output, environment,
      [&] {
        return options.expect_by.empty() ? run_night(options, environment)
                                         : ask_for_night(options, environment);
      },
      [&](const Failure& failure) {
        if (options.on_alert.empty()) return;
        notify_failed_night(notifier_of(options, environment), failure.exit_status, {failure.text},
                            environment.err);
      });
}

}  // namespace

void add_nightly(Command& nightly) {
  const auto options = std::make_shared<NightlyOptions>();
  nightly.argument("FILE", options->files, "The experiments, YAML files", "EXPERIMENT").required();
  add_set(nightly, options->run.set);
  add_ranks(nightly, options->run.set);
  add_worker(nightly, options->run.worker);
  add_lock_flags(nightly, options->run.lock);
  add_check_options(nightly, options->check);
  add_results(nightly, options->run.results, "Parent folder of the runs' folders");
  nightly
      .option(kMeasureOptions, "--budget TIME", options->budget,
              "Start no more fresh pairs after this time of launches (90s, 20m, 2h): undecided "
              "cases are suspects and come first the next night; default: three times what the "
              "planned launches take, an hour at least")
      .common();
  nightly.flag(kRunOptions, "--fresh", options->fresh,
               "Start over instead of resuming an interrupted night");
  add_labels(nightly, options->run.labels);
  CommandOption& db = add_history(nightly, options->history);
  db.described_as(db.doc + "; default: history.db in the folder of --results").with_default("");
  CommandOption& keep =
      nightly.option(kHistoryOptions, "--keep-worker DIR", options->keep_worker,
                     "Where copies of reference programs are kept; default: workers in the folder "
                     "of --results");
  nightly
      .flag(kHistoryOptions, "--no-keep-worker", options->keep_no_worker,
            "Keep no copy: a reference program is found only as long as it stays at its path")
      .excludes(keep);
  nightly
      .option(kOutputOptions, "--on-alert COMMAND", options->on_alert,
              "Run with `sh -c` for each alert of this machine that is new, grows or comes back, "
              "and for a failed night; it gets JSON on standard input, with `text`")
      .common();
  nightly
      .option(kRunOptions, "--expect-by HH:MM", options->expect_by,
              "Measure nothing: check that the history has a night of the 24 hours before this "
              "time of day (UTC), and call --on-alert if not")
      .common();
  add_quiet(nightly, options->check.output.quiet);
  nightly.on_call = [options, &db, &environment = *nightly.environment] {
    return execute_nightly(*options, db.is_given, environment);
  };
}

}  // namespace stepbench::cli
