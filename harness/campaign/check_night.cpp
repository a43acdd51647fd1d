// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/check_night.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "harness/base/error.h"
#include "harness/run/worker_program.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/track/baseline.h"
#include "harness/track/bridge.h"
#include "harness/track/level.h"
#include "harness/track/night_cycle.h"

namespace stepbench::campaign {
namespace {

constexpr std::size_t kPhasesInACause = 2;
constexpr std::size_t kOpsInACause = 2;
// Points of a level, and some of nights that are left out of it.
constexpr std::size_t kPointsToLoad = track::kLevelPoints + 40;

std::string known_hosts(const std::vector<track::TrackedRun>& runs) {
  std::set<std::string> hosts;
  for (const track::TrackedRun& run : runs) {
    if (!track::is_imported(run)) hosts.insert(run.host);
  }
  return text::join(hosts);
}

std::vector<std::string> chosen_night(const CheckRequest& request,
                                      const std::vector<track::TrackedRun>& runs) {
  if (request.nights.empty()) return track::tonights_runs(runs, request.host, request.now_utc);
  std::vector<std::string> ids;
  std::string host;
  for (const std::string& wanted : request.nights) {
    const track::TrackedRun& run = track::resolve_run(wanted, runs, "--night");
    if (!host.empty() && host != run.host) {
      throw ConfigError(
          "--night", "runs of two machines, " + host + " and " + run.host + ", are not one night");
    }
    if (track::is_imported(run)) {
      throw ConfigError("--night", run.run_id +
                                       " was measured by another program: it is shown and judged "
                                       "no more; `stepbench track list` has runs to name");
    }
    host = run.host;
    ids.push_back(run.run_id);
  }
  return ids;
}

// All points are needed where an old night is judged again.
std::size_t points_to_load(const std::vector<track::TrackedRun>& runs,
                           const std::vector<std::string>& ids) {
  const track::TrackedRun* tonight = track::find_run(runs, ids.front());
  const auto later = static_cast<std::size_t>(
      std::count_if(runs.begin(), runs.end(), [&](const track::TrackedRun& run) {
        return run.host == tonight->host && run.started_utc > tonight->started_utc;
      }));
  return later > track::kLevelPoints ? 0 : kPointsToLoad;
}

// Programs of nights that can be measured again on this machine, each looked at once.
class KeptPrograms {
 public:
  KeptPrograms(track::TrackStore& store, std::string host, bool all)
      : store_(store), host_(std::move(host)), all_(all) {}

  bool operator()(const track::TrackedRun& run) {
    if (all_) return true;
    if (run.host != host_ || run.build_id.empty()) return false;
    const auto [known, is_new] = known_.try_emplace(run.build_id, false);
    if (is_new) known->second = is_kept(run) || build_at(run.worker_path) == run.build_id;
    return known->second;
  }

 private:
  bool is_kept(const track::TrackedRun& run) {
    if (!kept_) kept_ = store_.builds();
    return std::any_of(kept_->begin(), kept_->end(), [&](const track::KeptBuild& build) {
      return build.build_id == run.build_id && build_at(build.worker) == run.build_id;
    });
  }

  // Of nights many have one path; empty: there is none.
  const std::string& build_at(const std::filesystem::path& program) {
    const auto [known, is_new] = at_path_.try_emplace(program.string());
    if (!is_new || program.empty()) return known->second;
    try {
      std::error_code ignored;
      if (std::filesystem::is_regular_file(program, ignored)) {
        known->second = run::program_build_id(program);
      }
    } catch (const ConfigError&) {
      known->second.clear();  // it cannot be read
    }
    return known->second;
  }

  track::TrackStore& store_;
  std::string host_;
  bool all_;
  std::map<std::string, std::string, std::less<>> at_path_ = {};
  std::optional<std::vector<track::KeptBuild>> kept_ = {};
  std::map<std::string, bool, std::less<>> known_ = {};
};

// What is measured in one campaign: the same two programs, as many pairs.
struct Together {
  std::string tonight;  // run ids
  std::string against;
  std::size_t pairs = 0;
  auto operator<=>(const Together&) const = default;
};
using DueGroups = std::map<Together, std::vector<track::DueMeasurement>>;

DueGroups groups_of(std::span<const track::DueMeasurement> due) {
  DueGroups groups;
  for (const track::DueMeasurement& one : due) {
    const bool bridge = one.why == track::DueFor::kBridge;
    groups[{one.run, one.against, bridge ? track::kBridgePairs : track::kConfirmPairs}].push_back(
        one);
  }
  return groups;
}

std::vector<Suspect> suspects_of(const std::vector<track::DueMeasurement>& due) {
  std::vector<Suspect> suspects;
  for (const track::DueMeasurement& one : due) {
    suspects.push_back({.series = one.series,
                        .case_id = one.case_id,
                        .metric = one.metric,
                        .direction = one.direction,
                        .higher = one.higher,
                        .steps = one.steps,
                        .layout_sd = one.layout_sd,
                        .margin = one.margin});
  }
  return suspects;
}

ConfirmRequest confirm_request(const CheckRequest& request,
                               const std::vector<track::TrackedRun>& runs, const Together& group,
                               const std::vector<track::DueMeasurement>& due) {
  ConfirmRequest asked{.tonight = *track::find_run(runs, group.tonight),
                       .good_worker = request.good_worker,
                       .relinked = request.relinked,
                       .suspects = suspects_of(due),
                       .confirmations = request.confirmations,
                       .results = request.results,
                       .lock = request.lock,
                       .allow = request.allow,
                       .who = request.who};
  asked.pairs = group.pairs;
  asked.bridge = group.pairs < track::kConfirmPairs;
  if (asked.bridge) asked.confirmations = 1;
  if (const track::TrackedRun* run = track::find_run(runs, group.against)) asked.good = *run;
  return asked;
}

}  // namespace

track::MeasuredSuspect measured_suspect(const ConfirmedSeries& series, const std::string& alert,
                                        const std::string& run, const std::string& good) {
  track::MeasuredSuspect suspect{.series = series.suspect.series,
                                 .alert = alert,
                                 .run = run,
                                 .state = series.state,
                                 .why = series.why};
  for (std::size_t i = 0; i < series.answers.size(); ++i) {
    const track::ConfirmAnswer& one = series.answers[i];
    const bool last = i + 1 == series.answers.size();
    suspect.measured.push_back({.reproduced = one.reproduced,
                                .change = one.change,
                                .low = one.low,
                                .high = one.high,
                                .p = one.p,
                                .pairs = static_cast<std::int64_t>(one.pairs),
                                .night = run,
                                .good = good,
                                .builds = series.builds.at(i),
                                .campaign = series.folders.at(i).string(),
                                .cause = last ? cause_text(series) : std::string(),
                                .layout = series.suspect.layout_sd,
                                .margin = series.suspect.margin});
  }
  return suspect;
}

std::string cause_text(const ConfirmedSeries& series) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < std::min(series.cause.size(), kPhasesInACause); ++i) {
    const compare::PhaseChange& phase = series.cause[i];
    parts.push_back(phase_text(phase) + ' ' + text::signed_duration(phase.change_ns) + ", " +
                    text::percent_text(phase.share) + " of the change");
  }
  for (std::size_t i = 0; i < std::min(series.ops.size(), kOpsInACause); ++i) {
    const compare::OpChange& op = series.ops[i];
    const double calls = op.candidate_calls - op.base_calls;
    std::string text = op.name;
    if (calls != 0) text += (calls > 0 ? " +" : " ") + text::significant(calls) + " calls/step";
    if (op.change_ns) text += ' ' + text::signed_duration(*op.change_ns) + " per step";
    if (!op.phase.empty()) text += " in " + op.phase;
    parts.push_back(std::move(text));
  }
  return text::join(parts, "; ");
}

CheckedNight check_night(const CheckRequest& request, track::TrackStore& store,
                         const MeasureSuspects& measure) {
  CheckedNight checked;
  const std::vector<track::TrackedRun> runs = store.runs();
  const std::vector<std::string> ids = chosen_night(request, runs);
  std::vector<track::TrackEvent> events = store.events();
  track::NightInput input{.history = checked.history,
                          .runs = runs,
                          .tonight = ids,
                          .events = events,
                          .screen = {.kind = request.screen},
                          .now_utc = request.now_utc,
                          .allow_inconclusive = request.allow_inconclusive,
                          .allow_known = request.allow_known};
  if (ids.empty()) {
    checked.night = track::judge_night(input);
    const std::string hosts = known_hosts(runs);
    checked.night.notes.push_back(
        hosts.empty() ? "the history has no run to judge: `stepbench track add RUN` takes one in"
                      : "the history has no run of this machine, " + request.host +
                            "; it has runs of " + hosts + ": --night RUN names one of them");
    return checked;
  }
  track::HistoryQuery query{.host = track::find_run(runs, ids.front())->host,
                            .last = points_to_load(runs, ids)};
  for (const std::string& id : ids)
    query.experiments.push_back(track::find_run(runs, id)->experiment);
  checked.history = store.history(query);
  const auto kept =
      std::make_shared<KeptPrograms>(store, request.host, !request.good_worker.empty());
  input.has_program = [kept](const track::TrackedRun& run) { return (*kept)(run); };

  track::NightCycle cycle{.record = [&](std::span<track::TrackEvent> fresh) {
    for (track::TrackEvent& event : fresh) {
      event.at_utc = request.now_utc;
      event.who = request.who;
    }
    store.record(fresh);
  }};
  cycle.is_interrupted = [&] { return checked.signal.has_value(); };
  if (measure && query.host == request.host) {
    cycle.measure = [&](std::span<const track::DueMeasurement> due) {
      std::vector<track::MeasuredSuspect> answers;
      for (const auto& [group, asked] : groups_of(due)) {
        checked.measured.push_back(measure(confirm_request(request, runs, group, asked)));
        const ConfirmedNight& measured = checked.measured.back();
        for (std::size_t i = 0; i < measured.series.size() && i < asked.size(); ++i) {
          answers.push_back(
              measured_suspect(measured.series[i], asked[i].alert, group.tonight, asked[i].good));
          if (measured.series[i].good_fails && asked[i].others) {
            answers.back().unusable = asked[i].against;
          }
        }
        checked.signal = measured.signal;
        if (checked.signal) break;
      }
      return answers;
    };
  }
  checked.night = track::run_night(input, events, cycle);
  checked.events = std::move(events);
  return checked;
}

}  // namespace stepbench::campaign
