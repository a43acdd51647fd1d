// SPDX-License-Identifier: Apache-2.0
#include "harness/gbench/benchmark_names.h"

#include <string_view>
#include <utility>

#include "harness/estimate/case_rows.h"

namespace stepbench::gbench {

std::vector<std::string> benchmark_names(const plan::Plan& plan) {
  std::vector<std::string> names;
  std::vector<std::string_view> ids;
  for (const plan::PlannedCase& planned : plan.cases) {
    const ResolvedCase& resolved = planned.resolved;
    names.push_back(estimate::benchmark_name(resolved.workload, resolved.options, plan.varying));
    ids.push_back(resolved.case_id);
  }
  return estimate::distinct_names(std::move(names), ids);
}

}  // namespace stepbench::gbench
