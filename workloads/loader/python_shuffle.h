// SPDX-License-Identifier: Apache-2.0
// The exact order of Python's DataLoader(shuffle=True), without torch.
#pragma once

#include <cstdint>

#include "workloads/loader/loader.h"

namespace stepbench::loader {

// The order of epochs directly after torch.manual_seed(seed), each with its own iterator or, with
// `one_iterator`, all with the same (persistent workers). An epoch depends on all draws before it,
// so asking for epochs in order is cheapest. One thread.
[[nodiscard]] EpochOrder python_shuffle(std::int64_t samples, std::uint64_t seed,
                                        bool one_iterator);

}  // namespace stepbench::loader
