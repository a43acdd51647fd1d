// SPDX-License-Identifier: Apache-2.0
// What a program does in a step, counted: calls of operations, allocations, copies. A launch that
// records them tells it exactly, so that one decides a commit. Runs launches; main thread only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "harness/base/clock.h"
#include "harness/campaign/context.h"
#include "harness/campaign/run_ab.h"
#include "harness/compare/comparison.h"
#include "harness/record/reader.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"

namespace stepbench::bisect {

struct CountRequest {
  campaign::ArmsRequest arms = {};    // `a` is the program, `a_set` its own values
  int launches = 1;                   // that record operations
  std::filesystem::path folder = {};  // of its runs; the newest one there is gone on with
  std::string purpose = "bisect";
  campaign::LockPolicy lock = campaign::LockPolicy::kRefuse;
};

struct Counted {
  record::Results results = {};
  std::optional<int> signal = {};
};
// Throws Error where the plan has not one case, or cannot be made.
[[nodiscard]] Counted count_program(const CountRequest& request,
                                    const campaign::CampaignContext& context,
                                    run::Progress& progress, run::Interrupts& interrupts,
                                    const Clock& clock);

// The counts of both, with verdicts. `arm`: of the launches in `good`. Throws ConfigError for sides
// that were warmed up by different numbers of steps.
[[nodiscard]] compare::CaseResult compare_counts(const record::Results& good, std::string_view arm,
                                                 const record::Results& bad);

}  // namespace stepbench::bisect
