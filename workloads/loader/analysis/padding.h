// SPDX-License-Identifier: Apache-2.0
// Computes the padding left after sorting by length, from the data set's lengths alone.
#pragma once

#include <cstdint>
#include <optional>

#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Number of batches that the padding finding proposes to sort together.
inline constexpr std::int64_t kSortedBatches = 64;

// Share of an epoch's batch tokens that would be padding with this loader.bucket_batches. nullopt:
// samples have one length, or there are too many to count during a report.
[[nodiscard]] std::optional<double> padding_of_epoch(const data::Dataset& dataset,
                                                     LoaderOptions options, EpochOrder order,
                                                     std::int64_t bucket_batches);

}  // namespace stepbench::loader
