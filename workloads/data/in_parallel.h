// SPDX-License-Identifier: Apache-2.0
// A loop over items on all cores, for making files.
#pragma once

#include <cstdint>
#include <functional>

namespace stepbench::data {

// Calls work(0) to work(count - 1) on as many threads as there are cores, and `progress` (which may
// be empty) from this thread with the number done so far. Rethrows the first error; what is begun
// is finished then, nothing else started.
void in_parallel(std::int64_t count, const std::function<void(std::int64_t)>& work,
                 const std::function<void(std::int64_t)>& progress);

}  // namespace stepbench::data
