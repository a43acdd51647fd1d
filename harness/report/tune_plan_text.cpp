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
  return "by " + objective.name + (large ? ", larger is better; " : ", smaller is better; ") +
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
         counted(rung.rounds, "launch") + " = " + std::to_string(rung.points * rung.rounds) + '\n';
}

std::string time_of(const tune::TunePlan& planned, std::size_t launches) {
  return about(static_cast<double>(launches) * planned.cost->launch_s);
}

std::string time_text(const tune::TunePlan& planned) {
  if (!planned.cost)
    return "; not measured before: `plan --probe` estimates the time of a launch\n";
  return "; " + time_of(planned, planned.launches()) + " by earlier results of " +
         text::counted(planned.cost->points, "point") + " in " +
         text::counted(planned.cost->runs, "run") + '\n';
}

std::string confirmation_text(const tune::TuneRequest& request, const tune::TunePlan& planned) {
  if (!request.confirm) return "no confirmation (--no-confirm)\n";
  std::string text =
      "then " + std::to_string(tune::kMinPairs) + " to " + std::to_string(tune::kMaxPairs) +
      " pairs of the winner and the file's own settings: " + std::to_string(2 * tune::kMinPairs) +
      " to " + std::to_string(2 * tune::kMaxPairs) + " launches";
  if (planned.cost) {
    text +=
        ", " + time_of(planned, 2 * tune::kMinPairs) + " to " +
        text::rough_duration(2.0 * static_cast<double>(tune::kMaxPairs) * planned.cost->launch_s);
  }
  return text + '\n';
}

// "--budget 20 min: enough". `all`: the full cost; `fewest`: the minimum.
std::string enough_text(double given, double all, double fewest, const std::string& needed) {
  if (given >= all) return "enough\n";
  if (given >= fewest) return "the search stops before its last rung is done\n";
  return "too little for one launch of each point and the confirmation, which take " + needed +
         '\n';
}

std::string budget_text(const tune::TuneRequest& request, const tune::TunePlan& planned) {
  std::string text;
  const auto fewest = static_cast<double>(planned.fewest_launches());
  const auto all =
      static_cast<double>(tune::kMinWarmLaunches + planned.launches() + planned.reserved);
  if (request.allowance.seconds) {
    text += "--budget " + text::rough_duration(*request.allowance.seconds);
    text += planned.cost
                ? ": " + enough_text(*request.allowance.seconds, all * planned.cost->launch_s,
                                     fewest * planned.cost->launch_s,
                                     time_of(planned, planned.fewest_launches()))
                : "\n";
  }
  if (request.allowance.launches) {
    text += "--launches " + std::to_string(*request.allowance.launches) + ": " +
            enough_text(static_cast<double>(*request.allowance.launches), all, fewest, "");
  }
  return text;
}

}  // namespace

std::string tune_plan_text(const tune::TuneRequest& request, const tune::TunePlan& planned) {
  std::string text = points_text(planned);
  std::size_t number = 1;
  if (!planned.rungs.empty()) {
    text += "  first: " + std::to_string(tune::kMinWarmLaunches) + " to " +
            std::to_string(tune::kMaxWarmLaunches) +
            " launches of the file's own settings, thrown away until two agree\n";
  }
  for (const tune::PlannedRung& rung : planned.rungs) text += rung_text(rung, number++);
  if (planned.rungs.empty()) {
    text += "no point can run here\n";
  } else {
    text += counted(planned.launches(), "launch") + time_text(planned) +
            confirmation_text(request, planned) + budget_text(request, planned);
  }
  return plan_table(planned.search.plan(), text);
}

}  // namespace stepbench::report
