// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/plan_noise.h"

#include <algorithm>

#include "harness/campaign/earlier_spread.h"
#include "harness/compare/tested_metrics.h"
#include "harness/report/noise_text.h"

namespace stepbench::cli {

std::string noise_text(const plan::Plan& plan, const std::filesystem::path& results_dir) {
  const auto runs = std::count_if(plan.cases.begin(), plan.cases.end(),
                                  [](const plan::PlannedCase& planned) { return !planned.skip; });
  if (runs == 0) return {};
  return report::noise_plan_text(
      campaign::earlier_noise(plan, results_dir),
      static_cast<std::size_t>(runs) * compare::default_metrics().metrics.size());
}

}  // namespace stepbench::cli
