// SPDX-License-Identifier: Apache-2.0
// The same batch for every loader setting, for the fingerprint.
#pragma once

#include <cstdint>

#include "workloads/data/dataset.h"

namespace stepbench::step {

// The first `size` samples of a data set, read as in epoch 0 but without a loader; a smaller data
// set is repeated. The same for every loader setting.
[[nodiscard]] Batch read_fixed_batch(const data::Dataset& dataset, std::int64_t size,
                                     std::uint64_t seed);

}  // namespace stepbench::step
