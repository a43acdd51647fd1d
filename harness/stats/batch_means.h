// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "harness/stats/interval.h"

namespace stepbench {

// Interval for the level of an autocorrelated series in time order (the steps of one launch): the
// series is cut into `batches` equal runs, surplus values at its start are left out, and the
// order-statistic interval of the median of the batch means is given. It speaks of this launch
// only: another launch may lie elsewhere. Nothing when a batch would be empty or `batches` is too
// small for the confidence.
[[nodiscard]] std::optional<Interval> batch_means_interval(std::span<const double> series,
                                                           double confidence,
                                                           std::size_t batches = 10);

}  // namespace stepbench
