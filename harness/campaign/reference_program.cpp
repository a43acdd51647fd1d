// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/reference_program.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "harness/base/error.h"
#include "harness/campaign/confirm_programs.h"
#include "harness/compare/same_work.h"
#include "harness/machine/environment.h"
#include "harness/text/words.h"
#include "harness/track/import.h"

namespace stepbench::campaign {
namespace {

namespace fs = std::filesystem;

std::string date_of(const track::TrackedRun& run) { return run.started_utc.substr(0, 10); }

// The same plan with that program.
ReferenceProgram plan_with(const RunRequest& request, const track::TrackedRun& run,
                           const run::WorkerProgram& program, const CampaignContext& context) {
  ReferenceProgram reference{.run = run.run_id};
  RunRequest same = request;
  same.worker = program.path.string();
  same.resume.clear();
  try {
    reference.planned = plan_experiment(same, context, true);
  } catch (const Error& error) {
    reference.why = "the program of " + date_of(run) +
                    " can no longer measure this experiment: " + error.what();
  }
  return reference;
}

// Of one program's launches alone, as those of a run.
record::Results launches_of(const record::Results& results, std::string_view arm) {
  record::Results alone;
  alone.runs = results.runs;
  alone.columns = results.columns;
  alone.workers = results.workers;
  for (const record::Launch& launch : results.launches) {
    if (launch.row.key.arm != arm) continue;
    alone.launches.push_back(launch);
    alone.launches.back().row.key.arm.clear();
  }
  return alone;
}

// By launch number; NaN: no value.
std::vector<double> values_of(const track::ImportedCase& one, const std::string& metric) {
  std::vector<double> values;
  for (const track::ImportedLaunch& launch : one.launches) {
    const auto found = launch.values.values.find(metric);
    if (found == launch.values.values.end()) continue;
    const auto number = static_cast<std::size_t>(std::max(launch.values.launch, 0));
    if (values.size() <= number)
      values.resize(number + 1, std::numeric_limits<double>::quiet_NaN());
    values[number] = found->second;
  }
  return values;
}

std::map<std::string, const track::ImportedCase*> by_case(const track::Import& import,
                                                          const std::string& run) {
  std::map<std::string, const track::ImportedCase*> cases;
  for (const track::ImportedRun& each : import.runs) {
    if (each.run.run_id != run) continue;
    for (const track::ImportedCase& one : each.cases) cases.emplace(one.case_id, &one);
  }
  return cases;
}

// What the launches of the reference failed with; empty: nothing did.
std::string failures_of(const record::Results& reference) {
  std::int64_t failed = 0;
  std::string reason;
  for (const record::Launch& launch : reference.launches) {
    if (launch.row.outcome.kind == Outcome::Kind::kMeasured) continue;
    if (failed++ == 0) reason = launch.row.outcome.reason;
  }
  if (failed == 0) return {};
  return std::to_string(failed) + " of " + text::counted(std::ssize(reference.launches), "launch") +
         " of the kept program failed: " + reason;
}

// Cases in which the two programs compute something else: their times say nothing of each other.
std::map<std::string, std::string> other_work(const record::Results& tonight,
                                              const record::Results& reference) {
  std::map<std::string, std::string> differ;
  try {
    const compare::CasePairs pairs =
        compare::pair_cases({&reference, "the reference"}, {&tonight, "tonight"},
                            [](const record::LaunchRow& row) { return row.key.case_id; });
    for (const compare::CasePair& pair : pairs.both) {
      const auto difference = compare::fingerprint_difference(pair);
      if (difference) {
        differ.emplace(pair.base.first->key.case_id, compare::to_text(*difference));
      }
    }
  } catch (const ConfigError&) {
    return differ;  // a smoke run, which no history has
  }
  return differ;
}

void add_reason(std::string& why, const std::string& reason) {
  if (reason.empty()) return;
  why += (why.empty() ? "" : "; ") + reason;
}

}  // namespace

ReferenceProgram choose_reference(const RunRequest& request, const PlannedRun& tonight,
                                  track::TrackStore& store, const CampaignContext& context) {
  std::int64_t most = 0;
  bool asked = false;
  for (const plan::PlannedCase& each : tonight.planned.plan.cases) {
    if (each.resolved.text_or(kReferenceOption, kNightlyReference) != kNightlyReference) continue;
    asked = true;
    most = std::max(most, each.resolved.integer_or("launches", 1));
  }
  if (!asked) return {};
  if (most < track::kMinLaunchesToSplit) {
    return {.why = "launches: " + std::to_string(most) + " cannot be halved, " +
                   std::to_string(track::kMinLaunchesToSplit) + " can"};
  }
  const std::vector<track::TrackedRun> runs = store.runs();
  const std::vector<track::KeptBuild> kept = store.builds();
  const std::string host = machine::host_name("/");
  std::map<std::string, std::optional<run::WorkerProgram>> programs;  // by build
  const auto program_of = [&](const track::TrackedRun& run) {
    const auto [known, is_new] = programs.try_emplace(run.build_id);
    if (is_new) known->second = program_of_night(run, kept);
    return known->second;
  };
  const std::string id = track::reference_run(
      runs, store.events(), host, tonight.planned.plan.name,
      [&](const track::TrackedRun& run) { return program_of(run).has_value(); });
  const track::TrackedRun* run = track::find_run(runs, id);
  if (run == nullptr || run->build_id == tonight.worker.value().build_id) return {};
  return plan_with(request, *run, *program_of(*run), context);
}

std::optional<track::ReferenceNight> reference_night(const record::Results& results,
                                                     const fs::path& folder,
                                                     const track::TrackedRun& run,
                                                     const std::string& why,
                                                     const CampaignContext& context) {
  track::ReferenceNight night{.night = track::night_of(run), .why = why};
  for (const record::RunRow& row : results.runs) {
    if (row.run_id != run.run_id || !row.context.contains(kReferenceRun)) continue;
    night.run = text_of(row.context, kReferenceRun);
    night.build = text_of(row.context, kReferenceBuild);
  }
  const record::Results reference = launches_of(results, record::kReferenceArm);
  if (reference.launches.empty()) {
    return why.empty() ? std::nullopt : std::optional(std::move(night));
  }
  const record::Results alone = launches_of(results, "");
  const track::ImportOptions options{.catalogue = &context.built_in.catalogue};
  const track::Import of_tonight = track::import_of(alone, folder, options);
  const track::Import of_reference = track::import_of(reference, folder, options);
  const auto before = by_case(of_reference, run.run_id);
  const auto differ = other_work(alone, reference);
  for (const auto& [id, one] : by_case(of_tonight, run.run_id)) {
    const auto beside = before.find(id);
    if (beside == before.end() || differ.contains(id)) continue;
    std::map<std::string, bool> metrics;
    for (const track::ImportedLaunch& launch : one->launches) {
      for (const auto& [metric, value] : launch.values.values) metrics[metric] = true;
    }
    for (const auto& [metric, known] : metrics) {
      const track::TrackedSeries series = track::series_of(*one, metric);
      if (!series.screened || series.control) continue;
      auto ratio = track::reference_ratio(series.id, values_of(*one, metric),
                                          values_of(*beside->second, metric));
      if (ratio) night.ratios.push_back(std::move(*ratio));
    }
  }
  add_reason(night.why, failures_of(reference));
  if (!differ.empty()) {
    add_reason(night.why,
               "in " + text::counted(std::ssize(differ), "case") +
                   " the kept program computes something else: " + differ.begin()->second);
  }
  return night;
}

}  // namespace stepbench::campaign
