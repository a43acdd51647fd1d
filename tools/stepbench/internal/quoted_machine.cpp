// SPDX-License-Identifier: Apache-2.0
#include "tools/stepbench/internal/quoted_machine.h"

#include <algorithm>
#include <set>

#include "harness/campaign/examine_machine.h"
#include "harness/machine/environment.h"
#include "harness/verdict/comparison.h"
#include "harness/verdict/detectable_change.h"

namespace stepbench::cli {
namespace {

bool is_undecided(const verdict::Comparison& comparison) {
  return std::any_of(
      comparison.cases.begin(), comparison.cases.end(), [](const verdict::CaseResult& one) {
        return std::any_of(one.metrics.begin(), one.metrics.end(), [](const auto& metric) {
          return metric.timed && metric.decides &&
                 metric.test.verdict == verdict::Verdict::kInconclusive;
        });
      });
}

}  // namespace

std::string stored_machine_text(const Environment& environment) {
  const campaign::StoredMachine stored =
      campaign::stored_machine(environment.variables, campaign::machine_identity("/"));
  return stored.noise ? verdict::to_text(*stored.noise) : stored.problem;
}

void quote_machine(const Environment& environment, std::span<verdict::Comparison> comparisons) {
  const std::set<std::string> here = {machine::host_name("/")};
  for (verdict::Comparison& comparison : comparisons) {
    if (is_undecided(comparison) && comparison.hosts == here) {
      comparison.machine = stored_machine_text(environment);
    }
  }
}

}  // namespace stepbench::cli
