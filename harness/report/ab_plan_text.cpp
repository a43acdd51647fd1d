// SPDX-License-Identifier: Apache-2.0
#include "harness/report/ab_plan_text.h"

#include <algorithm>
#include <set>
#include <vector>

#include "harness/campaign/time_estimate.h"
#include "harness/compare/ab_campaign.h"
#include "harness/document/render_text.h"
#include "harness/estimate/case_rows.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::report {
namespace {

std::string pairs_table(const campaign::AbArms& arms) {
  std::set<std::string> ids;
  bool two_ids = false;
  for (const compare::AbPoint& point : arms.points) {
    ids.insert({point.a_case, point.b_case});
    two_ids = two_ids || point.a_case != point.b_case;
  }
  const std::size_t digits = estimate::id_digits(ids);
  std::vector<std::vector<std::string>> rows(1, {"#", two_ids ? "case A" : "case"});
  if (two_ids) rows[0].emplace_back("case B");
  const std::vector<std::string>& varying = arms.a.plan.varying;
  for (const std::string& name : varying) rows[0].push_back(estimate::short_name(name, varying));
  for (std::size_t i = 0; i < arms.points.size(); ++i) {
    std::vector<std::string> row = {std::to_string(i + 1), arms.points[i].a_case.substr(0, digits)};
    if (two_ids) row.push_back(arms.points[i].b_case.substr(0, digits));
    for (const std::string& name : varying) {
      const Value* value = arms.a.plan.cases[i].resolved.options.get(name);
      row.push_back(value == nullptr || is_null(*value) ? "-" : to_text(*value));
    }
    rows.push_back(std::move(row));
  }
  return document::align(rows);
}

std::string planned_tests(const campaign::AbPlan& plan, std::size_t cases) {
  const std::size_t tests = plan.tested.metrics.size() * cases;
  return "tested: " + plan.tested.names() + "; " +
         text::counted(static_cast<std::int64_t>(tests), "test") +
         (tests == 1 ? "\n" : ", corrected together\n");
}

// Duration of one launch of each case in both arms.
struct RoundOfLaunches {
  double expected_s = 0;
  double limit_s = 0;
  bool known = true;
};

RoundOfLaunches time_of_a_round(const campaign::AbRequest& request, const campaign::AbArms& arms) {
  RoundOfLaunches round;
  for (const campaign::AbArm* arm : {&arms.a, &arms.b}) {
    const campaign::TimeEstimate estimate = campaign::estimate_time(arm->plan, request.results);
    if (estimate.launches == 0) continue;
    const double share =
        static_cast<double>(arms.points.size()) / static_cast<double>(estimate.launches);
    round.expected_s += estimate.expected_s * share;
    round.limit_s += estimate.limit_s * share;
    round.known = round.known && estimate.known_cases > 0;
  }
  return round;
}

std::string from_to(const std::string& from, const std::string& to) {
  return from == to ? to : from + " to " + to;
}

std::string time_text(const campaign::AbRequest& request, const campaign::AbArms& arms,
                      const campaign::AbPlan& plan) {
  const RoundOfLaunches round = time_of_a_round(request, arms);
  const auto first = static_cast<double>(plan.looks.front());
  const auto last = static_cast<double>(plan.looks.back());
  std::string text;
  if (round.known && round.expected_s > 0) {
    text = "about " +
           from_to(text::rough_duration(first * round.expected_s),
                   text::rough_duration(last * round.expected_s)) +
           " by earlier results; ";
  }
  return text + "at most " + text::rough_duration(last * round.limit_s) + " by limits.wall_s\n";
}

std::string planned_launches(const campaign::AbPlan& plan, std::size_t cases) {
  const auto launches = [&](std::size_t pairs) {
    return text::with_separators(static_cast<std::int64_t>(2 * pairs * cases));
  };
  return compare::looks_text(plan.looks) + ": " +
         from_to(launches(plan.looks.front()), launches(plan.looks.back())) +
         " launches, in turns (A B B A or B A A B)\n";
}

}  // namespace

std::string ab_plan_text(const campaign::AbRequest& request, const campaign::AbArms& arms) {
  const campaign::AbPlan plan = campaign::plan_ab(request, arms);
  const std::size_t cases = arms.points.size();
  std::string text = "A " + arms.a.words + "   B " + arms.b.words + "\n\n";
  if (cases > 0) text += pairs_table(arms) + '\n';
  text += text::counted(static_cast<std::int64_t>(cases), "case") + " in both arms; ";
  text += planned_tests(plan, cases);
  if (cases > 0) text += planned_launches(plan, cases) + time_text(request, arms, plan);
  for (const compare::AbMissing& missing : arms.missing) {
    text += "not compared: " + missing.point.case_id + ": " + missing.reason + '\n';
  }
  for (const std::string& note : campaign::notes_on(request, arms)) text += "note: " + note + '\n';
  return text;
}

}  // namespace stepbench::report
