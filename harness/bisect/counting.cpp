// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/counting.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "harness/base/error.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/run_folder.h"
#include "harness/compare/count_gate.h"

namespace stepbench::bisect {
namespace {

// Launches that record operations, and none that is timed.
class ProfiledAgenda final : public run::Agenda {
 public:
  ProfiledAgenda(Pass engine, int launches, const record::Results& finished)
      : engine_(engine), launches_(launches) {
    for (const record::Launch& launch : finished.launches)
      done_ += launch.row.key.rank == 0 ? 1 : 0;
  }
  [[nodiscard]] std::optional<run::Job> next(const record::Results&) override {
    if (done_ >= launches_) return std::nullopt;
    return run::Job{.pass = engine_, .launch = done_++, .note = "counted"};
  }
  [[nodiscard]] std::size_t remaining() const override {
    return static_cast<std::size_t>(std::max(0, launches_ - done_));
  }

 private:
  Pass engine_;
  int launches_;
  int done_ = 0;
};

compare::CountedLaunches counted_launches(const record::Results& results, std::string_view arm) {
  compare::CountedLaunches side;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    if (row.key.rank != 0 || row.outcome.kind != Outcome::Kind::kMeasured) continue;
    if (row.key.arm == arm && !launch.ops.empty()) side.profiled.push_back(&launch);
  }
  return side;
}

}  // namespace

Counted count_program(const CountRequest& request, const campaign::CampaignContext& context,
                      run::Progress& progress, run::Interrupts& interrupts, const Clock& clock) {
  campaign::RunRequest run{.file = request.arms.file,
                           .text = request.arms.text,
                           .results = request.folder.string(),
                           .filter = request.arms.filter,
                           .set = request.arms.set,
                           .sweep = request.arms.sweep,
                           .cases = request.arms.cases,
                           .worker = request.arms.a,
                           .lock = request.lock,
                           .purpose = request.purpose};
  run.set.insert(run.set.end(), request.arms.a_set.begin(), request.arms.a_set.end());
  const bool chosen = std::ranges::any_of(
      run.set, [](const std::string& set) { return set.starts_with("profile.ops="); });
  if (!chosen) run.profile = "native";
  const std::vector<std::filesystem::path> earlier = campaign::folders_newest_first(run.results);
  if (!earlier.empty()) run.resume = earlier.front().string();
  const campaign::PlannedRun planned = campaign::plan_experiment(run, context, true);
  const auto& cases = planned.planned.plan.cases;
  const auto profile = campaign::profile_of(cases.front().resolved);
  if (cases.size() != 1 || !profile) throw ConfigError(run.file, "has no case to count");
  run.agenda = [&](const record::Results& finished) -> std::shared_ptr<run::Agenda> {
    return std::make_shared<ProfiledAgenda>(profile->engine, request.launches, finished);
  };
  campaign::RunEnd end =
      campaign::run_experiment(run, planned, context, progress, interrupts, clock);
  return {.results = std::move(end.results), .signal = end.signal};
}

compare::CaseResult compare_counts(const record::Results& good, std::string_view arm,
                                   const record::Results& bad) {
  const compare::CompareOptions options{.gate_counts = true};
  compare::CaseResult one;
  compare::judge_counts(
      {.base = "good", .candidate = "bad", .columns = good.columns, .options = options},
      counted_launches(good, arm), counted_launches(bad, ""), one);
  return one;
}

}  // namespace stepbench::bisect
