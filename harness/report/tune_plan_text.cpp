// SPDX-License-Identifier: Apache-2.0
#include "harness/report/tune_plan_text.h"

#include "harness/report/plan_text.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"
#include "harness/tune/confirm.h"

namespace stepbench::report {
namespace {

std::string counted(std::size_t count, std::string_view noun) {
  return text::counted(static_cast<std::int64_t>(count), noun);
}

std::string about(double seconds) { return "about " + text::rough_duration(seconds); }

std::string objective_text(const tune::TunePlan& planned) {
  const compare::TestedMetric& objective = planned.objective;
  const bool large = objective.direction == Direction::kHigherIsBetter;
  return "by " + objective.name +
         (large ? ", which is to be large; " : ", which is to be small; ") +
         text::percent_text(objective.margin.value_or(compare::kDefaultMargin)) +
         " or less does not matter\n";
}

std::string points_text(const tune::TunePlan& planned) {
  const std::size_t points = planned.search.plan().cases.size();
  std::string text = counted(points, "point");
  if (planned.can_run < points)
    text += ", of which " + std::to_string(planned.can_run) + " can run";
  return text + "; the file's own settings are #" + std::to_string(planned.search.own + 1) +
         (planned.search.own_is_swept ? "; " : ", beside the sweep; ") + objective_text(planned);
}

std::string rung_text(const tune::PlannedRung& rung, std::size_t number) {
  return "  rung " + std::to_string(number) + ": " + counted(rung.points, "point") + " x " +
         counted(rung.rounds, rung.brief ? "short launch" : "launch") + " = " +
         std::to_string(rung.points * rung.rounds) + '\n';
}

std::string time_text(const tune::TunePlan& planned) {
  const auto expected = planned.expected_s();
  if (!expected) return "; not measured before: `plan --probe` estimates the time of a launch\n";
  return "; " + about(*expected) + " by earlier results of " +
         text::counted(planned.cost->points, "point") + " in " +
         text::counted(planned.cost->runs, "run") + '\n';
}

std::string confirmation_text(const tune::TuneRequest& request, const tune::TunePlan& planned) {
  if (!request.confirm) return "no confirmation (--no-confirm)\n";
  std::string text = "then " + std::to_string(tune::kFewestPairs) + " to " +
                     std::to_string(tune::kMostPairs) +
                     " pairs of the winner and the file's own settings: " +
                     std::to_string(2 * tune::kFewestPairs) + " to " +
                     std::to_string(2 * tune::kMostPairs) + " launches";
  if (planned.cost) {
    const double launch_s = planned.cost->full_s;
    text += ", about " +
            text::rough_duration(2.0 * static_cast<double>(tune::kFewestPairs) * launch_s) +
            " to " + text::rough_duration(2.0 * static_cast<double>(tune::kMostPairs) * launch_s);
  }
  return text + '\n';
}

// A search ends early in a budget that is too small for all of it, and tells nothing in one that is
// too small for its first round.
std::string budget_text(const tune::TuneRequest& request, const tune::TunePlan& planned) {
  if (!planned.allowance.seconds) return {};
  const double share_s = *planned.allowance.seconds;
  std::string text = "--budget " + text::rough_duration(*request.allowance.seconds) +
                     ": the search has " + text::rough_duration(share_s);
  const auto expected = planned.expected_s();
  if (!expected) return text + '\n';
  if (*expected <= share_s) return text + ", which is enough\n";
  const double least_s = *planned.first_rung_s();
  if (least_s <= share_s) return text + ", and stops before its last rung is done\n";
  return text + ", too little for one launch of each point; give at least " +
         text::rough_duration(least_s / tune::search_share(request)) + '\n';
}

std::string launches_text(const tune::TuneRequest& request, const tune::TunePlan& planned) {
  if (!planned.allowance.launches) return {};
  const std::size_t most = *planned.allowance.launches;
  return "--launches " + std::to_string(*request.allowance.launches) + ": the search has " +
         std::to_string(most) +
         (most < planned.launches() ? ", and stops before its last rung is done\n"
                                    : ", which is enough\n");
}

}  // namespace

std::string tune_plan_text(const tune::TuneRequest& request, const tune::TunePlan& planned) {
  std::string text = points_text(planned);
  std::size_t number = 1;
  for (const tune::PlannedRung& rung : planned.rungs) text += rung_text(rung, number++);
  if (planned.rungs.empty()) {
    text += "no point can run here\n";
  } else {
    text += "at most " + counted(planned.launches(), "launch") + time_text(planned) +
            confirmation_text(request, planned) + budget_text(request, planned) +
            launches_text(request, planned);
  }
  return plan_table(planned.search.plan(), text);
}

}  // namespace stepbench::report
