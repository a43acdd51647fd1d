// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/nightly_experiment.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/campaign/internal/planning.h"
#include "harness/estimate/case_rows.h"
#include "harness/nights/history.h"
#include "harness/record/result_file.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/verdict/ab_campaign.h"
#include "harness/verdict/comparison.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

// Results of one program's launches only, in the form of a run.
record::Results of_program(const record::Results& results, std::string_view arm) {
  record::Results own_results;
  own_results.runs = results.runs;
  own_results.columns = results.columns;
  own_results.workers = results.workers;
  for (const record::Launch& launch : results.launches) {
    if (launch.row.key.arm != arm) continue;
    own_results.launches.push_back(launch);
    own_results.launches.back().row.key.arm.clear();
  }
  return own_results;
}

// Indexed by launch number; NaN: no value.
std::vector<double> values_of(const nights::ImportedCase& one, std::string_view metric) {
  std::vector<double> values;
  for (const nights::ImportedLaunch& launch : one.launches) {
    const auto found = launch.values.values.find(metric);
    if (found == launch.values.values.end()) continue;
    const auto number = static_cast<std::size_t>(std::max(launch.values.launch, 0));
    if (values.size() <= number)
      values.resize(number + 1, std::numeric_limits<double>::quiet_NaN());
    values[number] = found->second;
  }
  return values;
}

std::map<std::string, const nights::ImportedCase*> by_case(const nights::Import& import) {
  std::map<std::string, const nights::ImportedCase*> cases;
  for (const nights::ImportedRun& run : import.runs) {
    for (const nights::ImportedCase& one : run.cases) cases.emplace(one.case_id, &one);
  }
  return cases;
}

std::set<std::string> metrics_of(const nights::ImportedCase& one) {
  std::set<std::string> metrics;
  for (const nights::ImportedLaunch& launch : one.launches) {
    for (const auto& [metric, value] : launch.values.values) metrics.insert(metric);
  }
  return metrics;
}

struct ProgramLaunches {
  std::int64_t all = 0;
  std::int64_t failed = 0;
  bool runs = false;
  std::string reason = {};  // the first failed launch's
};
ProgramLaunches launches_of_pairs(const record::Results& results, std::string_view arm,
                                  const std::set<std::string>& paired) {
  ProgramLaunches launches;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    if (row.key.arm != arm || row.key.pass != Pass::kTiming || row.key.rank != 0) continue;
    if (!paired.contains(row.key.case_id)) continue;
    ++launches.all;
    launches.runs = launches.runs || row.outcome.kind == Outcome::Kind::kMeasured;
    if (row.outcome.kind != Outcome::Kind::kFailed) continue;
    if (launches.failed++ == 0) launches.reason = row.outcome.reason;
  }
  return launches;
}

// Notes cases in which the two programs compute something different. They are judged anyway,
// because a slow-down may come with the difference.
void note_other_work(const record::Results& tonight, const record::Results& reference,
                     std::vector<std::string>& notes) {
  try {
    const verdict::CasePairs pairs =
        verdict::pair_cases({&reference, "the reference"}, {&tonight, "tonight"},
                            [](const record::LaunchRow& row) { return row.key.case_id; });
    std::int64_t differ = 0;
    std::string first;
    for (const verdict::CasePair& pair : pairs.both) {
      const auto difference = verdict::fingerprint_difference(pair);
      if (difference && differ++ == 0) first = verdict::to_text(*difference);
    }
    if (differ == 0) return;
    notes.push_back(formatted(
        "in {} tonight's program computes something else than the reference: {}; it is judged "
        "anyway; `stepbench track note RUN --as baseline` starts again with tonight's",
        text::counted(differ, "case"), first));
  } catch (const ConfigError&) {
    return;  // a smoke run, which is not in any history
  }
}

constexpr double kConfidence = 0.95;  // for changes of phases
constexpr std::size_t kPhases = 2;
constexpr std::size_t kOps = 2;

// Explains why a case takes longer than with the reference program: "data_wait +2.1 ms, 62 % of the
// change; aten::copy_ +120 calls/step". Empty: no explanation. Uses pairs from number `first` on
// and launches that recorded operations.
std::string night_cause(const record::Results& results, const std::string& case_id, int first) {
  record::Results pairs;  // in the form of a campaign with two arms
  pairs.runs = results.runs;
  pairs.columns = results.columns;
  pairs.workers = results.workers;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchKey& key = launch.row.key;
    const bool reference = key.arm == record::kReferenceArm;
    if (key.case_id != case_id || !(reference || key.arm.empty())) continue;
    if (key.pass == Pass::kTiming && key.launch < first) continue;
    pairs.launches.push_back(launch);
    pairs.launches.back().row.key.arm = reference ? verdict::kArmA : verdict::kArmB;
  }
  const auto measured =
      verdict::ab_pairs(pairs, {{.point_id = case_id, .a_case = case_id, .b_case = case_id}});
  std::vector<std::string> parts;
  const verdict::CasePair& pair = measured.front().pair;
  const std::vector<verdict::PhaseChange> phases =
      verdict::explaining_phases(pair, kConfidence, verdict::Design::kInterleaved);
  for (std::size_t i = 0; i < std::min(phases.size(), kPhases); ++i) {
    parts.push_back(formatted("{} {}, {} of the change", phase_text(phases[i]),
                              text::signed_duration(phases[i].change_ns),
                              text::percent_text(phases[i].share)));
  }
  if (const auto faults =
          verdict::explaining_faults(pair, kConfidence, verdict::Design::kInterleaved)) {
    parts.push_back(fault_text(*faults));
  }
  const verdict::ProfiledLaunches profiled(pairs);
  const std::vector<verdict::OpChange> ops = verdict::op_changes(
      profiled.of(case_id, verdict::kArmA), profiled.of(case_id, verdict::kArmB), true);
  for (std::size_t i = 0; i < std::min(ops.size(), kOps); ++i) {
    const double calls = ops[i].candidate_calls - ops[i].base_calls;
    std::string text = ops[i].name;
    if (calls != 0)
      text += formatted("{}{} calls/step", calls > 0 ? " +" : " ", text::significant(calls));
    if (ops[i].change_ns) text += ' ' + text::signed_duration(*ops[i].change_ns) + " per step";
    if (!ops[i].phase.empty()) text += " in " + ops[i].phase;
    parts.push_back(std::move(text));
  }
  return text::join(parts, "; ");
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

std::map<std::string, int> planned_pairs(const NightlyExperiment& experiment) {
  std::map<std::string, int> pairs;
  for (const plan::PlannedCase& each : experiment.run.planned.plan.cases) {
    pairs[each.resolved.case_id] = night_pairs(each.resolved);
  }
  return pairs;
}

std::set<std::string> paired_cases(const NightlyExperiment& experiment) {
  const auto& reference = experiment.reference.paired_reference;
  return reference ? paired_cases(experiment.run.planned.plan, *reference)
                   : std::set<std::string>{};
}

std::string case_name(const record::Results& results, const std::string& case_id) {
  const auto launch = std::ranges::find(
      results.launches, case_id, [](const record::Launch& each) { return each.row.key.case_id; });
  if (launch == results.launches.end()) return "case " + case_id;
  const std::vector<std::string> varying =
      results.runs.empty() ? std::vector<std::string>{} : results.runs.front().swept;
  return estimate::case_name(launch->row.options, launch->row.workload, varying, case_id);
}

FailedLaunches failed_launches(const record::Results& results) {
  FailedLaunches failed;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    if (row.key.arm == record::kReferenceArm) continue;  // reported elsewhere
    if (row.outcome.kind != Outcome::Kind::kSkipped) ++failed.of;
    if (row.outcome.kind != Outcome::Kind::kFailed || failed.launches++ > 0) continue;
    failed.first = case_name(results, row.key.case_id) + ": " + row.outcome.reason;
  }
  return failed;
}

PairedNight paired_night(const NightlyExperiment& experiment, const CampaignContext& context) {
  const record::Results& results = experiment.results;
  const record::Results own_results = of_program(results, "");
  const record::Results of_reference_results = of_program(results, record::kReferenceArm);
  const nights::ImportOptions options{.catalogue = &context.built_in.catalogue};
  const nights::Import of_tonight = nights::import_of(own_results, experiment.folder, options);
  const nights::Import of_reference =
      nights::import_of(of_reference_results, experiment.folder, options);
  PairedNight night;
  if (of_tonight.runs.empty()) return night;
  night.run = of_tonight.runs.front().run;
  const std::set<std::string> paired = paired_cases(experiment);
  const ProgramLaunches tonight = launches_of_pairs(results, "", paired);
  const ProgramLaunches reference = launches_of_pairs(results, record::kReferenceArm, paired);
  night.tonight_runs = tonight.runs;
  night.reference_runs = reference.runs;
  night.tonight_fails = tonight.reason;
  night.reference_fails = reference.reason;
  if (reference.failed > 0) {
    night.notes.push_back(formatted("{} of {} of the reference program failed: {}",
                                    reference.failed, text::counted(reference.all, "launch"),
                                    reference.reason));
  }
  note_other_work(own_results, of_reference_results, night.notes);
  const nights::RunMargins margins(night.run);
  const auto references = by_case(of_reference);
  const std::map<std::string, int> planned = planned_pairs(experiment);
  std::string of_reference_program;
  for (const auto& [id, one] : by_case(of_tonight)) {
    const auto found = references.find(id);
    for (const nights::ImportedLaunch& launch : one->launches) {
      if (!launch.cohort.empty()) night.environment = launch.cohort;
    }
    if (found != references.end()) {
      for (const nights::ImportedLaunch& launch : found->second->launches) {
        // A launch that failed may not have reported its environment.
        const bool measured = !launch.values.values.empty();
        if (measured && !launch.cohort.empty()) of_reference_program = launch.cohort;
      }
    }
    if (found == references.end() || !paired.contains(id)) continue;
    const std::vector<double> steps = values_of(*found->second, nights::kStepSeries);
    const int first = planned.at(id);
    for (const std::string& metric : metrics_of(*one)) {
      const nights::TrackedSeries measured = nights::series_of(*one, metric);
      if (!measured.monitored || measured.control) continue;
      PairedSeries series{.series = experiment.merged.standing(measured), .case_id = id};
      series.margin = margins.of(measured);
      const auto state = experiment.states.find(series.series.id);
      const bool same_reference =
          state != experiment.states.end() &&
          state->second.reference == experiment.reference.paired_reference->build;
      const std::vector<double> values = values_of(*one, metric);
      const std::vector<double> others = values_of(*found->second, metric);
      series.pairs = nights::series_pairs(
          series.series.id,
          {.tonight = values,
           .reference = others,
           .steps = steps,
           .first = static_cast<std::size_t>(first),
           .as_share = same_reference ? std::optional(state->second.as_share) : std::nullopt});
      if (series.pairs.pairs.size() < nights::kMinPairs) continue;
      if (metric == nights::kStepSeries && series.pairs.pairs.size() > series.pairs.first) {
        series.pairs.cause = night_cause(results, id, first);
      }
      night.series.push_back(std::move(series));
    }
  }
  // An interpreter of its own, or a torch of its own, is part of tonight's program.
  if (!of_reference_program.empty()) night.environment = of_reference_program;
  return night;
}

bool comes_before(const SuspectCase& one, const SuspectCase& other) {
  if (one.left_before != other.left_before) return one.left_before;
  if ((one.deviation > 0) != (other.deviation > 0)) return one.deviation > 0;
  return std::abs(one.deviation) > std::abs(other.deviation);
}

std::vector<SuspectCase> suspect_cases(const NightlyExperiment& experiment,
                                       const PairedNight& night, std::size_t judged) {
  const ChosenReference& reference = experiment.reference;
  const nights::Tonight tonight{.run = night.run.run_id,
                                .run_utc = night.run.started_utc,
                                .build = reference.tonight.build,
                                .reference = reference.stored_program.build,
                                .reference_run = reference.stored_program.run,
                                .environment = night.environment};
  const std::vector<std::string>& unfinished = reference.stored_program.unfinished;
  std::map<std::string, SuspectCase> cases;
  for (const PairedSeries& one : night.series) {
    const auto state = experiment.states.find(one.series.id);
    if (state == experiment.states.end() || state->second.run == tonight.run) continue;
    if (experiment.ignored.contains(one.series.id)) continue;
    const double deviation = nights::deviation(state->second, tonight, one.pairs,
                                               nights::rule_of(one.series, one.margin, judged));
    if (deviation == 0) continue;
    SuspectCase suspect{.case_id = one.case_id, .deviation = deviation};
    suspect.left_before = std::ranges::find(unfinished, one.series.id) != unfinished.end();
    const auto [known, is_new] = cases.try_emplace(one.case_id, suspect);
    if (!is_new && comes_before(suspect, known->second)) known->second = suspect;
  }
  std::vector<SuspectCase> suspect;
  for (auto& [id, one] : cases) suspect.push_back(std::move(one));
  return suspect;
}

nights::NightPairs night_pairs_of(const NightlyExperiment& experiment, const PairedNight& paired,
                                  const nights::TrackedRun& run, std::size_t judged,
                                  nights::TrackStore& store, const fs::path& keep,
                                  const std::string& now_utc) {
  const ChosenReference& reference = experiment.reference;
  nights::NightPairs night{.night = nights::night_of(run),
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
      if (experiment.left.contains(one.case_id)) night.unfinished.push_back(one.series.id);
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
