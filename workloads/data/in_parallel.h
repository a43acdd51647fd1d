// SPDX-License-Identifier: Apache-2.0
// Runs a loop on all cores, for making files.
#pragma once

#include <cstdint>
#include <functional>

namespace stepbench::data {

// Calls work(0) to work(count - 1) on one thread per core, and `progress` (may be empty) on this
// thread with the number done so far. Rethrows the first error; items under way finish then, no
// others start.
void in_parallel(std::int64_t count, const std::function<void(std::int64_t)>& work,
                 const std::function<void(std::int64_t)>& progress);

}  // namespace stepbench::data
