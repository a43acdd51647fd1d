// SPDX-License-Identifier: Apache-2.0
// Describes an A/B campaign in the header of its result file, and checks that a resumed one is the
// same campaign. Throws ConfigError.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/campaign/ab_arms.h"
#include "harness/compare/tested_metrics.h"
#include "harness/record/reader.h"
#include "harness/record/rows.h"

namespace stepbench::campaign {

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
