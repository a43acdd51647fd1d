// SPDX-License-Identifier: Apache-2.0
#include "harness/bisect/measuring.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "harness/base/error.h"
#include "harness/bisect/pair_values.h"
#include "harness/bisect/step_requests.h"
#include "harness/record/reader.h"
#include "harness/run/run_header.h"

namespace stepbench::bisect {
namespace {

constexpr std::size_t kMinUsable = 2;      // for any result
constexpr std::size_t kCountedPairs = 12;  // counts do not vary: use this many equal pairs

std::string failed_gate(const compare::Comparison& comparison) {
  const auto failed =
      std::ranges::find(comparison.gates, compare::GateState::kFailed, &compare::Gate::state);
  return failed == comparison.gates.end() ? std::string() : failed->text;
}

}  // namespace

Measuring::Measuring(const BisectRequest& request, const std::vector<Commit>& commits,
                     std::filesystem::path folder, const Launching& launching)
    : request_(request), commits_(commits), folder_(std::move(folder)), launching_(launching) {}

campaign::AbRequest Measuring::pairs_request(const StepPrograms& programs,
                                             const std::string& again) const {
  const auto& [step, base, candidate] = programs;
  return pairs_of(request_, step, commits_, arms_of(request_, step, commits_, base, candidate),
                  folder_ / (folder_of(step, commits_) + again));
}

campaign::AbRun Measuring::run_pairs(const campaign::AbRequest& request,
                                     const campaign::AbArms& arms) {
  return campaign::run_ab(request, arms, launching_.context, launching_.progress,
                          launching_.interrupts, launching_.clock,
                          [](const std::filesystem::path&) {});
}

StepEnd Measuring::time(const StepPrograms& programs, const IsEnough& is_enough) {
  launching_.progress.print_line(words_of(programs.step, commits_));
  StepEnd end;
  for (const char* again : {"", "-again"}) {
    campaign::AbRequest ab = pairs_request(programs, again);
    const campaign::AbArms arms = campaign::resolve_arms(ab.arms, launching_.context);
    require_one_case(request_, arms);
    const compare::AbPoint& point = arms.points.front();
    const campaign::AbPlan plan = campaign::plan_ab(ab, arms);
    ab.is_over = [&](const record::Results& finished, const compare::AbPoint&, std::size_t pairs) {
      return is_enough(pair_values(finished, point, plan.tested, plan.columns, pairs).log_ratios);
    };
    campaign::AbRun run = run_pairs(ab, arms);
    if (run.signal) return {.by_signal = true};
    const record::Results results = record::read_results(run.run_folder);
    PairValues values =
        pair_values(results, point, plan.tested, plan.columns, static_cast<std::size_t>(ab.pairs));
    end.folder = run.run_folder;
    end.launches += results.launches.size();
    end.repeated += values.uneven;
    if (values.log_ratios.size() < kMinUsable) {
      end.why_not = reason_of_failure(results, compare::kArmA);
      end.for_base = !end.why_not.empty();
      if (end.why_not.empty()) end.why_not = reason_of_failure(results, compare::kArmB);
      if (end.why_not.empty()) end.why_not = "the machine did not treat both programs alike";
      return end;
    }
    end.why_not = failed_gate(run.comparison);
    if (end.why_not.empty()) {
      end.log_ratios = std::move(values.log_ratios);
      end.comparison = std::move(run.comparison);
      end.repeat = repeat_of(request_, ab.arms, point);
      return end;
    }
    launching_.progress.print_line(end.why_not + (*again == '\0' ? ": measured again" : ""));
  }
  return end;
}

StepEnd Measuring::count(const StepPrograms& programs) {
  const auto& [step, base, candidate] = programs;
  StepEnd end{.folder = folder_};
  for (const auto& [place, program] : {std::pair(step.base, &base), {step.place, &candidate}}) {
    if (counts_.contains(place)) continue;
    const SearchStep own_step{.base = place, .place = place};
    const bool is_end = place == 0 || place + 1 == commits_.size();
    std::optional<record::Results> results = count_program(
        arms_of(request_, own_step, commits_, *program, *program), is_end ? kCountedOfEnds : 1,
        folder_ / ("counts-" + run::file_name_part(short_id(commits_[place]))), request_.lock,
        launching_);
    if (!results) return {.by_signal = true};
    end.launches += results->launches.size();
    counts_.emplace(place, std::move(*results));
  }
  const record::Results& good = counts_.at(step.base);
  const record::Results& bad = counts_.at(step.place);
  const bool ends = step.base == 0 && step.place + 1 == commits_.size();
  if (ends && counted_.empty()) counted_ = risen_count(good, bad);
  const std::optional<double> ratio =
      counted_.empty() ? 0 : log_ratio_of_count(good, bad, counted_);
  if (ratio) {
    end.log_ratios.assign(kCountedPairs, *ratio);
  } else {
    end.why_not = counted_ + " is not counted";
  }
  return end;
}

StepEnd Measuring::compare_counts(const StepPrograms& programs) {
  campaign::AbRequest ab = pairs_request(programs, "");
  const campaign::AbArms arms = campaign::resolve_arms(ab.arms, launching_.context);
  require_one_case(request_, arms);
  campaign::AbRun run = run_pairs(ab, arms);
  if (run.signal) return {.by_signal = true};
  return {.comparison = std::move(run.comparison),
          .repeat = repeat_of(request_, ab.arms, arms.points.front())};
}

}  // namespace stepbench::bisect
