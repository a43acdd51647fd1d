// SPDX-License-Identifier: Apache-2.0
#include "harness/gbench/benchmark_names.h"

#include <map>
#include <set>

#include "harness/estimate/benchmark_name.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::gbench {

std::vector<std::string> benchmark_names(const plan::Plan& plan) {
  std::vector<std::string> names;
  std::map<std::string, int> uses;
  std::set<std::string> ids;
  for (const plan::PlannedCase& planned : plan.cases) {
    const ResolvedCase& resolved = planned.resolved;
    names.push_back(estimate::benchmark_name(resolved.workload, resolved.options, plan.varying));
    ++uses[names.back()];
    ids.insert(resolved.case_id);
  }
  const std::size_t digits = estimate::id_digits(ids);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (uses[names[i]] > 1) {
      names[i] += "/case:" + plan.cases[i].resolved.case_id.substr(0, digits);
    }
  }
  return names;
}

}  // namespace stepbench::gbench
