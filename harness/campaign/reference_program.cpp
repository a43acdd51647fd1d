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
PairedReference plan_with(const RunRequest& request, const ChosenReference& reference,
                          const fs::path& program, const CampaignContext& context) {
  RunRequest same = request;
  same.resume.clear();
  if (reference.tonight.is_script) {
    same.set.push_back("script.path=" + program.string());
  } else {
    same.worker = program.string();
  }
  PairedReference paired_reference{.run = reference.stored_program.run,
                                   .build = reference.stored_program.build,
                                   .planned = plan_experiment(same, context, true)};
  if (const KeptInterpreter interpreter = kept_interpreter(program); interpreter.is_there) {
    // Behind the plan: a case keeps its id, whatever measures it.
    for (plan::PlannedCase& each : paired_reference.planned.planned.plan.cases) {
      each.resolved.options["env." + std::string(run::kInterpreterVariable)] = interpreter.path;
    }
  }
  return paired_reference;
}

// Blames the program with no measured launch in the pairs, or too few.
nights::NightReason failed_program(const PairedNight& paired) {
  if (!paired.tonight_runs) return nights::NightReason::kTonightFails;
  if (!paired.reference_runs || paired.tonight_fails.empty())
    return nights::NightReason::kReferenceFails;
  return nights::NightReason::kTonightFails;
}

// Returns whether tonight's program replaces the reference: it is gone, the user requested it, it
// failed two nights in a row, or it does not start in a new environment.
bool is_replaced(const ChosenReference& reference, const PairedNight& paired,
                 const nights::NightPairs& night) {
  switch (night.why) {
    case nights::NightReason::kNoReference:
    case nights::NightReason::kBaseline:
    case nights::NightReason::kReferenceMissing:
      return true;
    case nights::NightReason::kReferenceFails: {
      const bool is_new = !reference.stored_program.environment.empty() &&
                          reference.stored_program.environment != night.environment;
      return reference.stored_program.failed_nights > 0 || (is_new && !paired.reference_runs);
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
  reference.stored_program = nights::stored_reference(store, host, reference.experiment);
  const auto without = [&](nights::NightReason why, std::string reason = {}) {
    reference.why = why;
    reference.reason = std::move(reason);
    return std::move(reference);
  };
  if (!reference.tonight.why_not.empty()) {
    return without(nights::NightReason::kCannotStore, reference.tonight.why_not);
  }
  if (reference.stored_program.build.empty()) {
    const bool has_reason = reference.stored_program.why != nights::NightReason::kMeasured;
    return without(has_reason ? reference.stored_program.why : nights::NightReason::kNoReference);
  }
  if (reference.stored_program.build == reference.tonight.build) {
    return without(nights::NightReason::kSameProgram);
  }
  const std::vector<track::TrackedRun> runs = store.runs();
  const auto program = find_program(store, reference.stored_program.build, host,
                                    track::find_run(runs, reference.stored_program.run));
  if (!program) return without(nights::NightReason::kReferenceMissing);
  try {
    reference.paired_reference = plan_with(request, reference, *program, context);
    const KeptInterpreter interpreter = kept_interpreter(*program);
    if (!interpreter.path.empty() && !interpreter.is_there) {
      reference.tonight.notes.push_back("the reference's interpreter " + interpreter.path +
                                        " is gone: both programs run in tonight's");
    }
  } catch (const Error& error) {
    return without(nights::NightReason::kReferenceFails, error.what());
  }
  return reference;
}

BeforeNight before_night(const ChosenReference& reference, track::TrackStore& store,
                         std::string_view host, std::string_view today) {
  const std::vector<track::TrackEvent> events = store.events();
  return {.states = nights::load_states(store, host, reference.experiment),
          .merged = track::MergedCases(events),
          .unfinished = reference.stored_program.unfinished,
          .ignored = nights::ignored_series(events, today)};
}

nights::NightPairs night_of_reference(const ChosenReference& reference, const PairedNight& paired,
                                      const track::TrackedRun& run,
                                      const std::set<std::string>& left, std::size_t judged,
                                      track::TrackStore& store, const fs::path& keep,
                                      const std::string& now_utc) {
  nights::NightPairs night{.night = track::night_of(run),
                           .build = reference.tonight.build,
                           .reference = reference.stored_program.build,
                           .reference_run = reference.stored_program.run,
                           .environment = paired.environment,
                           .why = reference.why,
                           .reason = reference.reason,
                           .judged = judged,
                           .notes = paired.notes};
  if (reference.paired_reference) {
    for (const PairedSeries& one : paired.series) {
      night.series.push_back(one.pairs);
      if (left.contains(one.case_id)) night.unfinished.push_back(one.series.id);
    }
    if (night.series.empty()) {
      night.why = failed_program(paired);
      night.reason = night.why == nights::NightReason::kTonightFails ? paired.tonight_fails
                                                                     : paired.reference_fails;
    } else if (!night.unfinished.empty()) {
      night.why = nights::NightReason::kBudget;
    }
  }
  if (!is_replaced(reference, paired, night)) return night;
  night.reference = reference.tonight.build;
  night.reference_run = run.run_id;
  if (keep.empty()) return night;
  if (std::string why = store_program(store, reference.tonight, keep, run.host, now_utc);
      !why.empty()) {
    night.why = nights::NightReason::kCannotStore;
    night.reason = std::move(why);
    night.reference.clear();
    night.reference_run.clear();
  }
  return night;
}

}  // namespace stepbench::campaign
