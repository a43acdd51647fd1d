// SPDX-License-Identifier: Apache-2.0
// Counts a program's work per step: operator calls, allocations, instructions. A launch that
// records them counts exactly, so one launch decides a commit for which pairs of launches would
// otherwise be timed. Runs launches; main thread only.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "harness/campaign/run_ab.h"
#include "harness/campaign/run_experiment.h"
#include "harness/record/result_file.h"

namespace stepbench::bisect {

inline constexpr std::string_view kCounts = "counts";  // as a metric: values that repeat exactly

// Runs launches of one program that record operations and time nothing: `arms.a`.
// `folder`: for its runs; an interrupted one is resumed. Returns nullopt if interrupted by a
// signal. Throws Error if nothing can be counted.
[[nodiscard]] std::optional<record::Results> count_program(const campaign::AbRequest& arms,
                                                           int launches,
                                                           const std::filesystem::path& folder,
                                                           const campaign::Launching& launching);

// Returns the count with the largest increase; empty: none increased. Throws ConfigError if the
// sides were warmed up with different numbers of steps.
[[nodiscard]] std::string risen_count(const record::Results& base, const record::Results& later);
// Log ratio of the count; nullopt: not counted on both sides. Throws as above.
[[nodiscard]] std::optional<double> log_ratio_of_count(const record::Results& base,
                                                       const record::Results& later,
                                                       std::string_view count);

}  // namespace stepbench::bisect
