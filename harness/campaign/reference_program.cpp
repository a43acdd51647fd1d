// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/reference_program.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/campaign/labels.h"
#include "harness/nights/acts.h"
#include "harness/nights/night_store.h"
#include "harness/run/interpreter.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

// Makes the same plan with the reference program.
Beside plan_with(const RunRequest& request, const ChosenReference& reference,
                 const fs::path& program, const CampaignContext& context) {
  RunRequest same = request;
  same.resume.clear();
  if (reference.tonight.is_script) {
    same.set.push_back("script.path=" + program.string());
  } else {
    same.worker = program.string();
  }
  Beside beside{.run = reference.kept.run,
                .build = reference.kept.build,
                .planned = plan_experiment(same, context, true)};
  if (const KeptInterpreter interpreter = kept_interpreter(program); interpreter.is_there) {
    // Behind the plan: a case keeps its id, whatever measures it.
    for (plan::PlannedCase& each : beside.planned.planned.plan.cases) {
      each.resolved.options["env." + std::string(run::kInterpreterVariable)] = interpreter.path;
    }
  }
  return beside;
}

// Blames the program with no measured launch in the pairs, or too few.
nights::Why failed_program(const PairedNight& paired) {
  if (!paired.tonight_runs) return nights::Why::kTonightFails;
  if (!paired.reference_runs || paired.tonight_fails.empty()) return nights::Why::kReferenceFails;
  return nights::Why::kTonightFails;
}

// Returns whether tonight's program replaces the reference: it is gone, the user requested it, it
// failed two nights in a row, or it does not start in a new environment.
bool is_replaced(const ChosenReference& reference, const PairedNight& paired,
                 const nights::NightPairs& night) {
  switch (night.why) {
    case nights::Why::kNoReference:
    case nights::Why::kBaseline:
    case nights::Why::kReferenceGone:
      return true;
    case nights::Why::kReferenceFails: {
      const bool is_new =
          !reference.kept.environment.empty() && reference.kept.environment != night.environment;
      return reference.kept.failed_nights > 0 || (is_new && !paired.reference_runs);
    }
    default:
      return false;
  }
}

}  // namespace

std::string tracked_name(const plan::Plan& plan, const std::vector<std::string>& labels) {
  const std::string branch = text_of(parse_labels(labels), "branch");
  const std::string main = plan.cases.front().resolved.text_or("track.main", "main");
  return plan.name + (branch.empty() || branch == main ? "" : '@' + branch);
}

ChosenReference choose_reference(const RunRequest& request, const PlannedRun& tonight,
                                 track::TrackStore& store, std::string_view host,
                                 const CampaignContext& context) {
  ChosenReference reference{.experiment = tracked_name(tonight.planned.plan, request.labels),
                            .tonight = night_program(tonight, context.variables)};
  reference.kept = nights::kept_reference(store, host, reference.experiment);
  const auto without = [&](nights::Why why, std::string reason = {}) {
    reference.why = why;
    reference.reason = std::move(reason);
    return std::move(reference);
  };
  if (!reference.tonight.why_not.empty()) {
    return without(nights::Why::kCannotKeep, reference.tonight.why_not);
  }
  if (reference.kept.build.empty()) {
    const bool said = reference.kept.why != nights::Why::kMeasured;
    return without(said ? reference.kept.why : nights::Why::kNoReference);
  }
  if (reference.kept.build == reference.tonight.build) {
    return without(nights::Why::kSameProgram);
  }
  const std::vector<track::TrackedRun> runs = store.runs();
  const auto program =
      find_program(store, reference.kept.build, host, track::find_run(runs, reference.kept.run));
  if (!program) return without(nights::Why::kReferenceGone);
  try {
    reference.beside = plan_with(request, reference, *program, context);
    const KeptInterpreter interpreter = kept_interpreter(*program);
    if (!interpreter.path.empty() && !interpreter.is_there) {
      reference.tonight.notes.push_back("the reference's interpreter " + interpreter.path +
                                        " is gone: both programs run in tonight's");
    }
  } catch (const Error& error) {
    return without(nights::Why::kReferenceFails, error.what());
  }
  return reference;
}

BeforeNight before_night(const ChosenReference& reference, track::TrackStore& store,
                         std::string_view host, std::string_view today) {
  const std::vector<track::TrackEvent> events = store.events();
  return {.states = nights::load_states(store, host, reference.experiment),
          .merged = track::MergedCases(events),
          .unfinished = reference.kept.unfinished,
          .ignored = nights::ignored_series(events, today)};
}

nights::NightPairs night_of_reference(const ChosenReference& reference, const PairedNight& paired,
                                      const track::TrackedRun& run,
                                      const std::set<std::string>& left, std::size_t judged,
                                      track::TrackStore& store, const fs::path& keep,
                                      const std::string& now_utc) {
  nights::NightPairs night{.night = track::night_of(run),
                           .build = reference.tonight.build,
                           .reference = reference.kept.build,
                           .reference_run = reference.kept.run,
                           .environment = paired.environment,
                           .why = reference.why,
                           .reason = reference.reason,
                           .judged = judged,
                           .notes = paired.notes};
  if (reference.beside) {
    for (const PairedSeries& one : paired.series) {
      night.series.push_back(one.pairs);
      if (left.contains(one.case_id)) night.unfinished.push_back(one.series.id);
    }
    if (night.series.empty()) {
      night.why = failed_program(paired);
      night.reason =
          night.why == nights::Why::kTonightFails ? paired.tonight_fails : paired.reference_fails;
    } else if (!night.unfinished.empty()) {
      night.why = nights::Why::kBudget;
    }
  }
  if (!is_replaced(reference, paired, night)) return night;
  night.reference = reference.tonight.build;
  night.reference_run = run.run_id;
  if (keep.empty()) return night;
  if (std::string why = keep_program(store, reference.tonight, keep, run.host, now_utc);
      !why.empty()) {
    night.why = nights::Why::kCannotKeep;
    night.reason = std::move(why);
    night.reference.clear();
    night.reference_run.clear();
  }
  return night;
}

}  // namespace stepbench::campaign
