// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/plan_power.h"

#include <algorithm>
#include <limits>

#include "harness/campaign/earlier_spread.h"
#include "harness/compare/judge.h"
#include "harness/compare/power.h"
#include "harness/compare/tested_metrics.h"
#include "harness/report/noise_text.h"
#include "harness/text/numbers.h"
#include "harness/text/words.h"

namespace stepbench::cli {

std::string power_text(const plan::Plan& plan, const std::filesystem::path& results_dir,
                       const std::string& machine) {
  constexpr double kQuiet = 0.01;
  constexpr double kNoisy = 0.05;
  std::size_t cases = 0;
  auto launches = std::numeric_limits<std::int64_t>::max();
  for (const plan::PlannedCase& planned : plan.cases) {
    if (planned.skip) continue;
    ++cases;
    launches = std::min(launches, planned.resolved.integer_or("launches", 1));
  }
  if (cases == 0) return {};
  const compare::ComparisonSize size{.launches = static_cast<std::size_t>(launches),
                                     .tests = cases * compare::default_metrics().metrics.size()};
  const std::string few = compare::too_few_to_prove(
      size.launches, size.tests, {.q = size.q, .design = compare::Design::kSequential});
  if (!few.empty()) {
    return "for `compare`: " + few + " (" +
           text::counted(static_cast<std::int64_t>(cases), "case") + ", " +
           compare::default_metrics().names() + " of each)\n";
  }
  const auto finds = [&](double spread) {
    return text::percent_text(
        compare::change_found(size, spread).value_or(std::numeric_limits<double>::infinity()));
  };
  const std::string begin = "for `compare`: " + text::counted(launches, "launch") +
                            " find a change in four comparisons of five if it is about ";
  const std::string smaller = "; what is smaller is found more seldom\n";
  const std::string of_machine = machine.empty() ? "" : "for `ab`: " + machine + '\n';
  if (const auto spread = campaign::earlier_spread(plan, results_dir)) {
    return begin + finds(*spread) + " (launches of earlier runs differ by " +
           text::percent_text(*spread) + ')' + smaller + of_machine;
  }
  return begin + finds(kQuiet) + " where equal launches differ by 1 %, " + finds(kNoisy) +
         " where they differ by 5 %" + smaller + of_machine;
}

std::string noise_text(const plan::Plan& plan, const std::filesystem::path& results_dir) {
  const auto runs = std::count_if(plan.cases.begin(), plan.cases.end(),
                                  [](const plan::PlannedCase& planned) { return !planned.skip; });
  if (runs == 0) return {};
  return report::noise_plan_text(
      campaign::earlier_noise(plan, results_dir),
      static_cast<std::size_t>(runs) * compare::default_metrics().metrics.size());
}

}  // namespace stepbench::cli
