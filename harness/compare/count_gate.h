// SPDX-License-Identifier: Apache-2.0
// A verdict on counts: how often operations were called, kernels launched, bytes copied and memory
// allocated in a step. They are the same on a busy machine, so that results that were measured one
// after the other may say "regression" of them. Pure; any thread.
#pragma once

#include <vector>

#include "harness/compare/comparison.h"

namespace stepbench {

struct CountGateInput {
  const ComparisonSide& base;
  const ComparisonSide& candidate;
  const std::vector<Metric>& columns;  // of both sides
  const CompareOptions& options;
};

// Adds the counts of each of `pairs`, which are the cases of `result` in the same order, to its
// metrics, with their verdicts; what was tested before decides no more. Counts come from the
// launches that recorded operations (run --profile) and are declared exact, or follow from the
// operations: op_calls, cpu_allocated_bytes. One that differs between launches of a side is a note.
// A case of which a side counted nothing has no data.
//
// Throws ConfigError with the field's name where the sides differ in what changes counts without
// the program's doing: cpu_capability, torch, numbers of threads, the warm-up; unless
// options.allow names it.
void judge_counts(const CountGateInput& input, const std::vector<CasePair>& pairs,
                  Comparison& result);

}  // namespace stepbench
