// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/internal/counts.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "harness/bisect/internal/bisect_request.h"
#include "harness/campaign/run_experiment.h"
#include "harness/campaign/run_folder.h"
#include "harness/run/launch.h"
#include "harness/verdict/comparison.h"

namespace stepbench::bisect {
namespace {

// Launches that record operations, then launches under valgrind; no timed ones.
class CountingAgenda final : public run::Agenda {
 public:
  CountingAgenda(Pass engine, int profiled, int counted, const record::Results& finished)
      : engine_(engine), profiled_(profiled), launches_(profiled + counted) {
    for (const record::Launch& launch : finished.launches) {
      done_ += launch.row.key.rank == 0 ? 1 : 0;
    }
  }
  [[nodiscard]] std::optional<run::Job> next(const record::Results&) override {
    if (done_ >= launches_) return std::nullopt;
    const int launch = done_++;
    if (launch < profiled_) {
      return run::Job{.pass = engine_, .launch = launch, .note = "counted"};
    }
    return run::Job{.pass = Pass::kWrapped,
                    .launch = launch - profiled_,
                    .note = "counted by valgrind",
                    .counts = true};
  }
  [[nodiscard]] std::size_t remaining() const override {
    return static_cast<std::size_t>(std::max(0, launches_ - done_));
  }

 private:
  Pass engine_;
  int profiled_;
  int launches_;
  int done_ = 0;
};

verdict::CountedLaunches launches_of(const record::Results& results) {
  verdict::CountedLaunches side;
  for (const record::Launch& launch : results.launches) {
    const record::LaunchRow& row = launch.row;
    if (row.key.rank != 0 || row.outcome.kind != Outcome::Kind::kMeasured) continue;
    if (!launch.ops.empty()) side.profiled.push_back(&launch);
    if (row.key.pass == Pass::kWrapped) side.counted.push_back(&launch);
  }
  return side;
}

// An increase from zero is computed as if there had been one.
double log_ratio_of(const verdict::MetricResult& metric) {
  const double base = metric.test.base_median;
  const double candidate = metric.test.candidate_median;
  const double least = base > 0 && candidate > 0 ? 0 : 1;
  return std::log((candidate + least) / (base + least));
}

verdict::CaseResult compared(const record::Results& base, const record::Results& later) {
  const verdict::CompareOptions options{.gate_counts = true};
  verdict::CaseResult one;
  verdict::judge_counts(
      {.base = "good", .candidate = "bad", .columns = base.columns, .options = options},
      launches_of(base), launches_of(later), one);
  return one;
}

}  // namespace

std::optional<record::Results> count_program(const campaign::AbRequest& arms, int launches,
                                             const std::filesystem::path& folder,
                                             const campaign::Launching& launching) {
  campaign::RunRequest run = arms;
  run.results = folder.string();
  run.worker = arms.a.worker;
  run.set.insert(run.set.end(), arms.a.set.begin(), arms.a.set.end());
  const bool chosen = std::ranges::any_of(
      run.set, [](const std::string& set) { return set.starts_with("profile.ops="); });
  if (!chosen) run.profile = "native";
  const std::vector<std::filesystem::path> earlier = campaign::folders_newest_first(run.results);
  if (!earlier.empty()) run.resume = earlier.front().string();
  const campaign::PlannedRun planned = campaign::plan_experiment(run, launching.context, true);
  const plan::Plan& plan = planned.planned.plan;
  const ResolvedCase& counted = plan.cases.front().resolved;
  const auto profile = campaign::profile_of(counted);
  if (plan.cases.size() != 1 || !profile) throw ConfigError(run.file, "has no case to count");
  const bool valgrind =
      run::count_engine(counted, run::count_tools(plan, launching.context.variables)) ==
      run::CountEngine::kValgrind;
  run.agenda = [&](const record::Results& finished) -> std::shared_ptr<run::Agenda> {
    return std::make_shared<CountingAgenda>(profile->engine, launches, valgrind ? launches : 0,
                                            finished);
  };
  campaign::RunEnd end = campaign::run_experiment(run, planned, launching);
  if (end.signal) return std::nullopt;
  const verdict::CountedLaunches found = launches_of(end.results);
  if (found.profiled.empty() && found.counted.empty()) {
    throw NothingMeasured("--metric counts",
                          "nothing was counted; `profile.ops` says what a workload can count");
  }
  return std::move(end.results);
}

std::string risen_count(const record::Results& base, const record::Results& later) {
  const verdict::CaseResult one = compared(base, later);
  const verdict::MetricResult* most = nullptr;
  for (const verdict::MetricResult& metric : one.metrics) {
    const bool rose = metric.decides && metric.test.verdict == verdict::Verdict::kRegression;
    if (rose && (most == nullptr || log_ratio_of(metric) > log_ratio_of(*most))) most = &metric;
  }
  return most == nullptr ? std::string() : most->metric;
}

std::optional<double> log_ratio_of_count(const record::Results& base, const record::Results& later,
                                         std::string_view count) {
  const verdict::CaseResult one = compared(base, later);
  const auto found = std::ranges::find(one.metrics, count, &verdict::MetricResult::metric);
  if (found == one.metrics.end()) return std::nullopt;
  const double ratio = log_ratio_of(*found);
  return std::isfinite(ratio) ? std::optional(ratio) : std::nullopt;
}

}  // namespace stepbench::bisect
