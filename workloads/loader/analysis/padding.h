// SPDX-License-Identifier: Apache-2.0
// What sorting by length would leave of the padding, from the lengths of the data set alone.
#pragma once

#include <cstdint>
#include <optional>

#include "workloads/data/dataset.h"
#include "workloads/loader/loader.h"

namespace stepbench::loader {

// Batches that the finding of padding proposes to sort together.
inline constexpr std::int64_t kSortedBatches = 64;

// Share of the tokens of an epoch's batches that would be padding with this loader.bucket_batches.
// nullopt: samples have one length, or they are too many to be counted beside a report.
[[nodiscard]] std::optional<double> padding_of_epoch(const data::Dataset& dataset,
                                                     LoaderOptions options, EpochOrder order,
                                                     std::int64_t bucket_batches);

}  // namespace stepbench::loader
