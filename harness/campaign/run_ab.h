// SPDX-License-Identifier: Apache-2.0
// What `stepbench ab` does with two planned arms: measures them in turns and judges. The header of
// its result file describes the campaign, so that another call can resume it. Prints only progress.
// Throws Error for problems that the user can fix.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/base/clock.h"
#include "harness/campaign/device_locks.h"
#include "harness/campaign/internal/ab_arms.h"
#include "harness/compare/comparison.h"
#include "harness/compare/tested_metrics.h"
#include "harness/record/reader.h"
#include "harness/record/rows.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"

namespace stepbench::campaign {

// Throws for what can be rejected before planning.
void check_request(const AbRequest& request);

// Derived from a request and its arms. Throws ConfigError for invalid metrics and margins.
struct AbPlan {
  std::vector<Metric> columns = {};  // both arms'
  compare::TestedMetrics tested = {};
  double count_margin = 0;              // margin of counts, if they decide
  std::vector<std::size_t> looks = {};  // numbers of pairs after which the rule is applied
};
[[nodiscard]] AbPlan plan_ab(const AbRequest& request, const AbArms& arms);

// Notes that may change the meaning of the verdict or file; print them even with --quiet.
[[nodiscard]] std::vector<std::string> notes_on(const AbRequest& request, const AbArms& arms);

struct AbRun {
  int exit_status = 0;
  std::optional<int> signal = {};         // signal that interrupted it
  std::filesystem::path run_folder = {};  // empty: interrupted before it was created
  compare::Comparison comparison = {};    // unset if interrupted
};

// `on_start` receives the run's folder before the first launch, so that later failures can be
// reported there. `interrupts` belongs to the caller and must live until the end has been reported,
// because a signal or a broken pipe must not interrupt that. Main thread only.
[[nodiscard]] AbRun run_ab(const AbRequest& request, const AbArms& arms,
                           const CampaignContext& context, run::Progress& progress,
                           run::Interrupts& interrupts, const Clock& clock,
                           const std::function<void(const std::filesystem::path&)>& on_start);

// The header of an A/B campaign's result file, and the check that a resumed campaign is the same
// one. Throws ConfigError.

// Adds everything that determines the course of a campaign to the header of arm A's plan. `pairs`
// is 0 if looks decide when it ends.
void describe_campaign(const AbArms& arms, std::int64_t pairs, const compare::TestedMetrics& tested,
                       std::uint64_t seed, record::RunRow& header);

// Throws, naming the first difference, unless `now` describes the same campaign as `earlier`.
void check_same_campaign(const record::Results& earlier, const record::RunRow& now,
                         const AbArms& arms);

// Returns the seed of the launch order: that of the resumed campaign, else `asked`, else a new one.
// Throws if the first two differ.
[[nodiscard]] std::uint64_t seed_for(std::optional<std::uint64_t> asked,
                                     const record::Results& earlier);

}  // namespace stepbench::campaign
