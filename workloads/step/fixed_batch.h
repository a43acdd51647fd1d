// SPDX-License-Identifier: Apache-2.0
// The same batch for every loader setting, for the fingerprint.
#pragma once

#include <cstdint>

#include "workloads/data/dataset.h"

namespace stepbench::step {

// The first `size` samples of a data set as epoch 0 would give them, read by the caller without a
// loader; a data set with fewer samples is repeated. The same for every loader setting.
[[nodiscard]] Batch read_fixed_batch(const data::Dataset& dataset, std::int64_t size,
                                     std::uint64_t seed);

}  // namespace stepbench::step
