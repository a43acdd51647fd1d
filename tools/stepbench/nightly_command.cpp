// SPDX-License-Identifier: Apache-2.0
// A night in one command: measures experiments in turns with their reference programs, judges, and
// tells people by a command of theirs.
#include <algorithm>
#include <chrono>
#include <exception>
#include <filesystem>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/exit_status.h"
#include "harness/campaign/nightly.h"
#include "harness/campaign/run_experiment.h"
#include "harness/json/json_text.h"
#include "harness/machine/environment.h"
#include "harness/nights/history.h"
#include "harness/nights/night.h"
#include "harness/nights/night_store.h"
#include "harness/os/files.h"
#include "harness/os/process.h"
#include "harness/os/text_file.h"
#include "harness/report/night.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"
#include "harness/text/time_text.h"
#include "harness/text/words.h"
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

// Pending notifications of earlier nights are sent up to this age.
constexpr std::chrono::hours kMaxNoticeAge{72};
constexpr std::chrono::seconds kNotifierTimeout{60};

struct AlertNotifier {
  std::string command = {};
  std::string who = {};            // user@host
  std::string host = {};           // host whose alerts are sent
  std::string history_words = {};  // options with which a command finds the history: " --db URL"
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

AlertNotifier notifier_of(const NightlyOptions& options, const Environment& environment) {
  return {.command = options.on_alert,
          .who = author(options.check.who, environment),
          .host = machine::host_name("/"),
          .history_words = history_words_anywhere(options.history)};
}

// The last line on standard error is usually the most informative.
std::string last_words(const os::CommandResult& result) {
  std::string text{os::trim(result.err)};
  text.erase(0, text.rfind('\n') + 1);
  return text.empty() ? std::string{} : ": " + text;
}

// Returns the failure, or an empty text on success.
std::string run_notifier(const std::string& command, const std::string& json) {
  os::CommandResult result;
  try {
    result = os::run_command({"sh", "-c", command}, json, kNotifierTimeout, {.drops_rest = true});
  } catch (const Interrupted&) {
    return "was interrupted";
  }
  if (!result.started) return "cannot be started: " + result.reason;
  if (result.timed_out) {
    return "took longer than " +
           text::seconds_text(std::chrono::duration<double>(kNotifierTimeout).count()) +
           " and was killed";
  }
  if (result.exit_status == 0) return {};
  return "ended with status " + std::to_string(result.exit_status) + last_words(result);
}

// Starts `sh -c COMMAND` once for each notification that is due (see
// harness/nights/internal/alert.h), with alert_json() on its standard input. Records the
// notification in `store` first. A command that fails or exceeds kNotifierTimeout is reported on
// `err` and retried by the next night.
void notify_alerts(nights::TrackStore& store, const AlertNotifier& notifier,
                   std::chrono::system_clock::time_point now, std::ostream& err) {
  const std::vector<nights::TrackEvent> events = store.events();
  const std::vector<nights::Notice> pending =
      nights::pending_notices(events, text::utc_text(now - kMaxNoticeAge), notifier.host);
  if (pending.empty()) return;
  nights::AlertLog log = nights::fold_alerts(events);
  // Needs all series: cases are named by what varies among them.
  const nights::History history = store.history({.last = 1});
  campaign::list_commits(log, history.runs);
  for (const nights::Notice& notice : pending) {
    const nights::Alert& alert = *log.find(notice.alert_id);
    const std::string json = report::alert_json(alert, history, notifier.history_words);
    store.record(std::vector{
        nights::event_of(notice, nights::kPeopleNotified, text::utc_text(now), notifier.who)});
    const std::string failure = run_notifier(notifier.command, json);
    if (failure.empty()) continue;
    store.record(std::vector{nights::event_of(notice, nights::kNotificationFailed,
                                              text::utc_text(now), notifier.who, failure)});
    err << "stepbench: warning: --on-alert for " << alert.id << ": " << text::printable(failure)
        << "; the next night retries\n";
  }
}

// Runs the same command for a night that failed or is incomplete, with the object
// `stepbench.night_failed`: `text` (a sentence), `host`, `exit_code` and `notes`.
void notify_failed_night(const AlertNotifier& notifier, int exit_code,
                         const std::vector<std::string>& notes, std::ostream& err) {
  json::JsonText json;
  json.open_object()
      .text("schema", "stepbench.night_failed")
      .text("version", "1.0.0")
      .text("text", text::printable("the night on " + notifier.host + " failed (exit status " +
                                    std::to_string(exit_code) + ")" +
                                    (notes.empty() ? "" : ": " + notes.front())))
      .text("host", notifier.host)
      .integer("exit_code", exit_code)
      .texts("notes", notes)
      .close_object();
  const std::string failure = run_notifier(notifier.command, json.take() + "\n");
  if (failure.empty()) return;
  err << "stepbench: warning: --on-alert for a failed night: " << text::printable(failure) << '\n';
}

// The history identifies experiments by name: refuse duplicates.
void check_names(const std::vector<campaign::PlannedExperiment>& experiments) {
  std::set<std::string> names;
  for (const campaign::PlannedExperiment& experiment : experiments) {
    const std::string& name = experiment.run.planned.plan.name;
    if (names.insert(name).second) continue;
    throw ConfigError(
        experiment.request.file,
        "duplicate name '" + name + "': the history identifies experiments by `name`");
  }
}

std::vector<campaign::PlannedExperiment> plan_night(const NightlyOptions& options,
                                                    const campaign::CampaignContext& context) {
  std::vector<campaign::PlannedExperiment> experiments;
  for (const std::string& file : options.files) {
    campaign::PlannedExperiment experiment{.request = options.run};
    experiment.request.file = file;
    experiment.run = campaign::plan_experiment(experiment.request, context, true);
    campaign::refuse_copies(experiment.run.planned.plan, {.ranks = "nightly --ranks "},
                            context.variables);
    experiments.push_back(std::move(experiment));
  }
  check_names(experiments);
  return experiments;
}

// Empty if no programs are kept.
fs::path keep_folder(const NightlyOptions& options) {
  if (options.keep_no_worker) return {};
  return options.keep_worker.empty() ? fs::path(options.run.results) / "workers"
                                     : fs::path(options.keep_worker);
}

// Identifies this night among others that are measured into the same folder.
std::string key_of(const NightlyOptions& options) {
  std::vector<std::string> words = options.files;
  words.push_back(options.run.worker);
  words.insert(words.end(), options.run.set.begin(), options.run.set.end());
  return text::join(words, "\n");
}

bool has_failed(int exit_code) {
  return exit_code == kExitUsage || exit_code == kExitNothingMeasured;
}

// Runs one night in stages. A signal may end it between or within stages; everything measured by
// then is on disk.
class NightlyRun {
 public:
  NightlyRun(const NightlyOptions& options, const Environment& environment)
      : options_(options),
        environment_(environment),
        context_(campaign_context(environment)),
        view_{.history_words = history_words(options.history)},
        budget_s_(options.budget.empty() ? std::nullopt
                                         : std::optional(seconds_of("--budget", options.budget))) {}

  // Rethrows errors. Reports first if measurements were kept.
  int execute() {
    try {
      return measure_and_judge();
    } catch (const std::exception&) {
      if (measured_) {
        environment_.err
            << "stepbench: measurements are saved; the same command resumes this night\n";
      }
      throw;
    }
  }

 private:
  int measure_and_judge() {
    std::vector<campaign::PlannedExperiment> experiments = plan_night(options_, context_);
    nights::TrackStore before = open_history(options_.history, true);  // fail before measuring
    auto& [clock, progress, interrupts] =
        measuring_.emplace(environment_, options_.check.output.quiet);
    const auto locks = lock_night(experiments, interrupts);
    if (!locks) return interrupted(interrupts);
    // Only after locking: another process that held the lock may have completed the unfinished
    // night.
    campaign::UnfinishedNight unfinished{options_.run.results, key_of(options_), system_now()};
    if (options_.fresh) unfinished.restart(system_now());
    if (unfinished.resumes()) {
      progress.print_line("resuming the night that began at " + unfinished.began_utc() +
                          "; --fresh starts over");
    }
    choose_references(experiments, before);
    const campaign::MeasuredNight measured = campaign::measure_night(
        experiments, fresh_pairs(experiments), context_, unfinished, progress, interrupts, clock);
    if (measured.signal) return interrupted(interrupts);
    measured_ = true;
    nights::TrackStore store = open_history(options_.history, true);
    nights::NightRequest request{.who = author(options_.check.who, environment_),
                                 .now_utc = text::utc_text(system_now()),
                                 .exit = options_.check.exit};
    add(measured, experiments, store, request);
    if (signal_of(interrupts)) return interrupted(interrupts);
    nights::StoredNight stored;
    if (request.runs.empty()) {
      stored.night.notes.emplace_back("nothing was measured tonight: the history is unchanged");
    } else {
      stored = nights::judge_and_record(request, store);
      prune(store, request.now_utc);
    }
    add_failures(measured, stored.night);
    if (!options_.on_alert.empty()) {
      const AlertNotifier notifier = notifier_of(options_, environment_);
      notify_alerts(store, notifier, system_now(), environment_.err);
      if (has_failed(stored.night.exit_code)) {
        notify_failed_night(notifier, stored.night.exit_code, stored.night.notes, environment_.err);
      }
    }
    if (signal_of(interrupts)) return interrupted(interrupts);
    const int exit_code = stored.night.exit_code;
    show_night(shown_night(std::move(stored), store), options_.check, view_, environment_);
    if (exit_code != kExitUsage) unfinished.end();
    return exit_code;
  }

  static std::chrono::system_clock::time_point system_now() {
    return std::chrono::system_clock::now();
  }

  static std::optional<int> signal_of(run::Interrupts& interrupts) {
    (void)interrupts.take();
    return interrupts.first();
  }

  int interrupted(const run::Interrupts& interrupts) {
    const int status = exit_status_of_signal(interrupts.first().value());
    const std::string text = "interrupted; the same command resumes this night";
    write_no_result(options_.check.output, "stepbench nightly", status, text);
    environment_.err << "stepbench: " << text << '\n';
    return status;
  }

  // Holds the lock until the end of the night: nobody else may measure between runs and
  // confirmations.
  std::optional<std::vector<campaign::DeviceLock>> lock_night(
      const std::vector<campaign::PlannedExperiment>& experiments, run::Interrupts& interrupts) {
    std::set<std::string> devices;
    for (const campaign::PlannedExperiment& each : experiments)
      campaign::add_devices(each.run.planned.plan, devices);
    return campaign::lock_devices(campaign::lock_directory(), devices, options_.run.lock,
                                  interrupts, measuring_->progress);
  }

  void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) measuring_->progress.print_line("note: " + note);
  }

  void choose_references(std::vector<campaign::PlannedExperiment>& experiments,
                         nights::TrackStore& store) {
    const std::string today = text::utc_text(system_now()).substr(0, 10);
    for (campaign::PlannedExperiment& each : experiments) {
      campaign::ChosenReference& reference = references_.emplace_back(
          campaign::choose_reference(each.request, each.run, store, host_, context_));
      before_.push_back(campaign::before_night(reference, store, host_, today));
      print_notes(reference.tonight.notes);
      if (!reference.reason.empty()) {
        print_notes({"no reference program: " + reference.reason});
      }
      each.paired_reference = reference.paired_reference;
    }
    judged_.resize(experiments.size());
  }

  campaign::FreshPairs fresh_pairs(const std::vector<campaign::PlannedExperiment>& experiments) {
    return {.suspect_cases =
                [&](std::size_t place, const record::Results& results) {
                  const campaign::PairedNight night = campaign::paired_night(
                      results, {}, experiments[place], before_[place], context_);
                  judged_[place] = night.series.size();
                  const std::size_t judged =
                      std::accumulate(judged_.begin(), judged_.end(), std::size_t{0});
                  const campaign::ChosenReference& reference = references_[place];
                  return campaign::suspect_cases(night,
                                                 {.build = reference.tonight.build,
                                                  .reference = reference.stored_program.build,
                                                  .reference_run = reference.stored_program.run},
                                                 before_[place], judged);
                },
            .budget_s = budget_s_};
  }

  // Adds the runs to the history, with their comparisons with the references.
  void add(const campaign::MeasuredNight& measured,
           const std::vector<campaign::PlannedExperiment>& experiments, nights::TrackStore& store,
           nights::NightRequest& request) {
    std::vector<campaign::PairedNight> paired;
    std::size_t judged = 0;
    for (std::size_t i = 0; i < measured.experiments.size(); ++i) {
      const campaign::MeasuredExperiment& each = measured.experiments[i];
      paired.push_back(
          campaign::paired_night(each.results, each.folder, experiments[i], before_[i], context_));
      judged += paired.back().series.size();
    }
    for (std::size_t i = 0; i < measured.experiments.size(); ++i) {
      const campaign::MeasuredExperiment& each = measured.experiments[i];
      if (each.folder.empty()) continue;
      const nights::ImportReport report =
          store.add(each.results, each.folder,
                    {.now = system_now(), .catalogue = &context_.built_in.catalogue});
      print_notes(report.notes);
      for (const std::string& conflict : report.conflicts) {
        environment_.err << "stepbench: warning: " << text::printable(conflict) << '\n';
      }
      const std::vector<nights::TrackedRun> runs = store.runs();
      for (const std::string& id : report.runs) {
        request.runs.push_back(id);
        request.pairs.push_back(campaign::night_of_reference(
            references_[i], paired[i], *nights::find_run(runs, id), each.left, judged, store,
            keep_folder(options_), request.now_utc));
      }
    }
  }

  // Deletes stored programs that are no longer used as references.
  void prune(nights::TrackStore& store, const std::string& now_utc) {
    if (options_.keep_no_worker) return;
    const campaign::PrunedPrograms pruned =
        campaign::prune_programs(store, host_, keep_folder(options_), now_utc, false);
    print_notes(pruned.notes);
  }

  // Failed launches prevent a successful exit code but do not hide a regression.
  static void add_failures(const campaign::MeasuredNight& measured, nights::Night& night) {
    std::vector<std::string> failures;  // inserted before all other notes
    for (const campaign::MeasuredExperiment& each : measured.experiments) {
      const campaign::FailedLaunches failed = campaign::failed_launches(each.results);
      if (failed.launches > 0) {
        failures.push_back(each.file + ": " + std::to_string(failed.launches) + " of " +
                           text::counted(static_cast<std::int64_t>(failed.of), "launch") +
                           " failed: " + failed.first + "; `stepbench show " +
                           text::shell_word(each.folder.string()) + "` has all");
        if (night.exit_code == kExitOk || night.exit_code == kExitInconclusive) {
          night.exit_code = kExitNothingMeasured;
          night.verdict = nights::NightState::kNoData;
        }
      }
      if (each.error.empty()) continue;
      failures.push_back(each.file + " aborted: " + each.error);
      night.exit_code = kExitUsage;
      if (night.verdict != nights::NightState::kRegression)
        night.verdict = nights::NightState::kNoData;
    }
    night.notes.insert(night.notes.begin(), failures.begin(), failures.end());
  }

  const NightlyOptions& options_;
  const Environment& environment_;
  const campaign::CampaignContext context_;
  std::optional<Measurement> measuring_ = {};
  const report::NightView view_;
  const std::string host_ = machine::host_name("/");
  const std::optional<double> budget_s_;
  std::vector<campaign::ChosenReference> references_ = {};  // by experiment, like those below
  std::vector<campaign::BeforeNight> before_ = {};
  std::vector<std::size_t> judged_ = {};  // judged series
  bool measured_ = false;
};

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
                               std::span<const nights::TrackedRun> runs, std::string_view host,
                               const ExpectedWithin& within) {
  ExpectedNights nights;
  for (const std::string& experiment : experiments) {
    const nights::TrackedRun* newest = nullptr;
    for (const nights::TrackedRun& run : runs) {
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
  nights::TrackStore store = open_history(options.history);
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

int execute_nightly(const NightlyOptions& given, const Environment& environment) {
  NightlyOptions options = given;
  if (options.history.db.empty()) options.history.db = default_history(options.run.results);
  return run_session(
      "stepbench nightly", options.check.output, environment,
      [&] {
        return options.expect_by.empty() ? NightlyRun{options, environment}.execute()
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
