// SPDX-License-Identifier: Apache-2.0
// A verdict on counts: how often operations were called, kernels launched, bytes copied and memory
// allocated in a step. They are the same on a busy machine, so that results that were measured one
// after the other may say "regression" of them. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/compare/comparison.h"
#include "harness/compare/same_work.h"

namespace stepbench::compare {

struct CountGateInput {
  std::string base;  // names of the sides, for people
  std::string candidate;
  const std::vector<Metric>& columns;  // of both sides
  const CompareOptions& options;
};

// Throws ConfigError with the field's name where the sides differ in what changes counts without
// the program's doing: cpu_capability, torch, numbers of threads; unless options.allow names it.
void refuse_unlike_counting(const CountGateInput& input,
                            std::span<const EnvironmentDifference> environment);

// Adds the counts of a case to its metrics, with their verdicts; what was tested before decides no
// more. Counts come from the launches that recorded operations (run --profile) and are declared
// exact, or follow from the operations: op_calls, cpu_allocated_bytes. One that differs between
// launches of a side is a note; one that a side counted in a single launch is at most suspect. A
// case of which a side counted nothing has no data. Throws as above where the sides were warmed up
// by different numbers of steps.
void judge_counts(const CountGateInput& input, const CountedLaunches& base,
                  const CountedLaunches& candidate, CaseResult& one);

}  // namespace stepbench::compare
