// SPDX-License-Identifier: Apache-2.0
// What a program does in a step, counted: calls of operations, allocations, instructions. A launch
// that records them tells it exactly, so that one decides a commit where pairs of launches would
// have to be timed. Runs launches; main thread only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/base/clock.h"
#include "harness/campaign/context.h"
#include "harness/campaign/run_ab.h"
#include "harness/record/reader.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"

namespace stepbench::bisect {

inline constexpr std::string_view kCounts = "counts";  // as a metric: what repeats exactly

// What launches need of this process; all outlive a search.
struct Launching {
  const campaign::CampaignContext& context;
  run::Progress& progress;
  run::Interrupts& interrupts;
  const Clock& clock;
};

// Launches of one program that record operations and time nothing: `arms.a` with `a_set`.
// `folder`: of its runs; one that was cut off is gone on with. nullopt: a signal ended it. Throws
// Error where nothing can be counted.
[[nodiscard]] std::optional<record::Results> count_program(const campaign::ArmsRequest& arms,
                                                           int launches,
                                                           const std::filesystem::path& folder,
                                                           campaign::LockPolicy lock,
                                                           const Launching& launching);

// The count that rose most; empty: none did. Throws ConfigError for sides that were warmed up by
// different numbers of steps.
[[nodiscard]] std::string risen_count(const record::Results& base, const record::Results& later);
// Its log ratio; nullopt: it was not counted on both sides. Throws as above.
[[nodiscard]] std::optional<double> log_ratio_of_count(const record::Results& base,
                                                       const record::Results& later,
                                                       std::string_view count);

}  // namespace stepbench::bisect
