// SPDX-License-Identifier: Apache-2.0
// What a result file of an A/B campaign says of the whole, and whether another call goes on with
// the same campaign. Throws ConfigError.
#pragma once

#include <cstdint>
#include <optional>

#include "harness/campaign/ab_arms.h"
#include "harness/compare/tested_metrics.h"
#include "harness/record/reader.h"
#include "harness/record/rows.h"

namespace stepbench::campaign {

// Everything on which the course of a campaign depends, put into the header of arm A's plan.
// `pairs` is 0 where looks decide when it ends.
void describe_campaign(const AbArms& arms, std::int64_t pairs, const compare::TestedMetrics& tested,
                       std::uint64_t seed, record::RunRow& header);

// Throws, naming the first difference, unless `now` describes the campaign that `earlier` holds.
void check_same_campaign(const record::Results& earlier, const record::RunRow& now,
                         const AbArms& arms);

// The seed of the order of the launches: that of the campaign to go on with, or the one asked for,
// or a new one. Throws when the first two differ.
[[nodiscard]] std::uint64_t seed_for(std::optional<std::uint64_t> asked,
                                     const record::Results& earlier);

}  // namespace stepbench::campaign
