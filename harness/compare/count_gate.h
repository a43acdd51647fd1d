// SPDX-License-Identifier: Apache-2.0
// Judges counts per step: operator calls, kernel launches, bytes copied, memory allocated. They do
// not depend on the machine's load, so that even a sequential comparison can find a regression.
// Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/compare/comparability.h"
#include "harness/compare/comparison.h"

namespace stepbench::compare {

struct CountGateInput {
  std::string base;  // names of the sides, for people
  std::string candidate;
  const std::vector<Metric>& columns;  // of both sides
  const CompareOptions& options;
};

// Throws ConfigError naming the field if the sides differ in something that changes counts although
// the program is the same: cpu_capability, torch, numbers of threads; unless options.allow names
// it.
void refuse_unlike_counting(const CountGateInput& input,
                            std::span<const EnvironmentDifference> environment);

// Adds the counts of a case to its metrics, with their verdicts; metrics tested before no longer
// decide. Counts come from launches that recorded operations (run --profile): metrics declared
// exact, and op_calls and cpu_allocated_bytes derived from the operations. A count that varies
// between launches of a side becomes a note; one from a single launch is at most suspect. A case
// with a side without counts has no data. Throws as above if the sides had different numbers of
// warm-up steps.
void judge_counts(const CountGateInput& input, const CountedLaunches& base,
                  const CountedLaunches& candidate, CaseResult& one);

}  // namespace stepbench::compare
