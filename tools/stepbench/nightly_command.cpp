// SPDX-License-Identifier: Apache-2.0
// A night in one command: measures experiments in turns with their reference programs, judges, and
// tells people by a command of theirs.
#include <chrono>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/nightly.h"
#include "harness/campaign/run_experiment.h"
#include "harness/machine/environment.h"
#include "harness/nights/night.h"
#include "harness/nights/night_store.h"
#include "harness/report/night.h"
#include "harness/text/printable.h"
#include "tools/stepbench/internal/command_line.h"
#include "tools/stepbench/internal/output_files.h"
#include "tools/stepbench/internal/track_options.h"
#include "tools/stepbench/options.h"
#include "tools/stepbench/session.h"

namespace stepbench::cli {
namespace {

namespace fs = std::filesystem;

struct NightlyOptions {
  std::vector<std::string> files = {};
  campaign::RunRequest run = {};      // common to all experiments
  HistoryFlags history = {.db = {}};  // no db: default_history()
  CheckOptions check = {};
  std::string keep_worker = {};  // empty: see keep_folder()
  bool keep_no_worker = false;
  std::string on_alert = {};
  std::string expect_by = {};  // only check that the night exists; measures nothing
  bool fresh = false;
  std::string budget = {};  // "2h"; empty: three times the expected duration
};

// The history's options, valid in any working directory.
std::string history_words_anywhere(HistoryFlags flags) {
  constexpr std::string_view kFile = "sqlite:";
  if (flags.db.starts_with(kFile)) {
    const fs::path file = flags.db.substr(kFile.size());
    flags.db = std::string(kFile) + fs::absolute(file).lexically_normal().string();
  }
  if (!flags.events.empty()) flags.events = fs::absolute(flags.events).string();
  return history_words(flags);
}

campaign::Notifier notifier_of(const NightlyOptions& options, const Environment& environment) {
  return {.command = options.on_alert,
          .who = author(options.check.who, environment),
          .host = machine::host_name("/"),
          .alert_json = [words = history_words_anywhere(options.history)](
                            const nights::Alert& alert, const nights::History& history) {
            return report::alert_json(alert, history, words);
          }};
}

// Empty if no programs are kept.
fs::path keep_folder(const NightlyOptions& options) {
  if (options.keep_no_worker) return {};
  return options.keep_worker.empty() ? fs::path(options.run.results) / "workers"
                                     : fs::path(options.keep_worker);
}

campaign::NightlyRequest request_of(const NightlyOptions& options) {
  return {.files = options.files,
          .run = options.run,
          .keep = keep_folder(options),
          .budget_s = options.budget.empty()
                          ? std::nullopt
                          : std::optional(campaign::seconds_of("--budget", options.budget)),
          .fresh = options.fresh};
}

int report_interrupted(const NightlyOptions& options, int signal, const Environment& environment) {
  const int status = exit_status_of_signal(signal);
  const std::string text = "interrupted; the same command resumes this night";
  write_no_result(options.check.output, "stepbench nightly", status, text);
  say(environment, text);
  return status;
}

void notify(const NightlyOptions& options, nights::TrackStore& store, const nights::Night& night,
            const Environment& environment) {
  if (options.on_alert.empty()) return;
  const campaign::Notifier notifier = notifier_of(options, environment);
  warn(environment, campaign::notify_alerts(store, notifier, std::chrono::system_clock::now()));
  if (night.exit_code == kExitUsage || night.exit_code == kExitNothingMeasured) {
    warn(environment, campaign::notify_failed_night(notifier, night.exit_code, night.notes));
  }
}

int measure_and_judge(const NightlyOptions& options, const Environment& environment,
                      const campaign::CampaignContext& context, campaign::NightlyRun& night,
                      std::optional<Measurement>& measuring) {
  nights::TrackStore before = open_history(options.history, true);  // fail before measuring
  const campaign::Launching& launching =
      measuring.emplace(environment, context, options.check.output.quiet).launching;
  const auto interrupted = [&] {
    return report_interrupted(options, launching.interrupts.first().value(), environment);
  };
  if (!night.measure(before, launching)) return interrupted();
  nights::TrackStore store = open_history(options.history, true);
  std::optional<nights::StoredNight> stored = night.judge(
      {.who = author(options.check.who, environment),
       .now_utc = now_utc(),
       .exit = options.check.exit},
      store, launching, [&](const std::string& conflict) { warn(environment, {conflict}); });
  if (!stored) return interrupted();
  notify(options, store, stored->night, environment);
  (void)launching.interrupts.take();
  if (launching.interrupts.first()) return interrupted();
  const int exit_code = stored->night.exit_code;
  show_night(shown_night(std::move(*stored), store), options.check,
             {.history_words = history_words(options.history)}, environment);
  if (exit_code != kExitUsage) night.end();
  return exit_code;
}

int run_night(const NightlyOptions& options, const Environment& environment) {
  std::optional<Measurement> measuring;
  const campaign::CampaignContext context = campaign_context(environment);
  campaign::NightlyRun night(request_of(options), context);
  try {
    return measure_and_judge(options, environment, context, night, measuring);
  } catch (const std::exception&) {
    if (night.has_measured()) {
      say(environment, "measurements are saved; the same command resumes this night");
    }
    throw;
  }
}

// Implements --expect-by: checks that an expected night exists. Meant for a second machine or a
// later job, because a night that never started cannot report anything.

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
  const nights::ExpectedWithin within = nights::expected_within(options.expect_by, now);
  const std::vector<std::string> names = tracked_names(options, campaign_context(environment));
  nights::TrackStore store = open_history(options.history);
  const campaign::Notifier notifier = notifier_of(options, environment);
  const nights::ExpectedNights found =
      nights::expected_nights(names, store.runs(), notifier.host, within);
  for (const std::string& line : found.there) environment.out << text::printable(line) << '\n';
  for (const std::string& line : found.missing) environment.out << text::printable(line) << '\n';
  if (found.missing.empty()) return kExitOk;
  if (!options.on_alert.empty()) {
    warn(environment, campaign::notify_failed_night(notifier, kExitNothingMeasured, found.missing));
  }
  return kExitNothingMeasured;
}

int execute_nightly(const NightlyOptions& given, const Environment& environment) {
  NightlyOptions options = given;
  if (options.history.db.empty()) options.history.db = default_history(options.run.results);
  return run_session(
      "stepbench nightly", options.check.output, environment,
      [&] {
        return options.expect_by.empty() ? run_night(options, environment)
                                         : ask_for_night(options, environment);
      },
      [&](const Failure& failure) {
        if (options.on_alert.empty()) return;
        warn(environment, campaign::notify_failed_night(notifier_of(options, environment),
                                                        failure.exit_status, {failure.text}));
      });
}

}  // namespace

void add_nightly(Command& nightly) {
  NightlyOptions& options = nightly.calls(execute_nightly);
  nightly.argument("FILE", options.files, "The experiments, YAML files", "EXPERIMENT").required();
  add_set(nightly, options.run.set);
  add_ranks(nightly, options.run.set);
  add_worker(nightly, options.run.worker);
  add_lock_flags(nightly, options.run.lock);
  add_check_options(nightly, options.check);
  add_results(nightly, options.run.results, "Parent folder of the runs' folders");
  nightly
      .option(kMeasureOptions, "--budget TIME", options.budget,
              "Start no more fresh pairs after this time of the night (90s, 20m, 2h): undecided "
              "cases are suspects and come first the next night; default: three times what the "
              "planned launches take, an hour at least")
      .common();
  nightly.flag(kRunOptions, "--fresh", options.fresh,
               "Start over instead of resuming an interrupted night");
  add_labels(nightly, options.run.labels);
  CommandOption& db = add_history(nightly, options.history);
  db.described_as(db.doc + "; default: history.db in the folder of --results");
  CommandOption& keep =
      nightly.option(kHistoryOptions, "--keep-worker DIR", options.keep_worker,
                     "Where copies of reference programs are kept; default: workers in the folder "
                     "of --results");
  nightly
      .flag(kHistoryOptions, "--no-keep-worker", options.keep_no_worker,
            "Keep no copy: a reference program is found only as long as it stays at its path")
      .excludes(keep);
  nightly
      .option(kOutputOptions, "--on-alert COMMAND", options.on_alert,
              "Run with `sh -c` for each alert of this machine that is new, grows or comes back, "
              "and for a failed night; it gets JSON on standard input, with `text`")
      .common();
  nightly
      .option(kRunOptions, "--expect-by HH:MM", options.expect_by,
              "Measure nothing: check that the history has a night of the 24 hours before this "
              "time of day (UTC), and call --on-alert if not")
      .common();
  add_quiet(nightly, options.check.output.quiet);
}

}  // namespace stepbench::cli
