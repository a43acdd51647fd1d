// SPDX-License-Identifier: Apache-2.0
// The order of Python's DataLoader(shuffle=True), number for number and without torch.
#pragma once

#include <cstdint>

#include "workloads/loader/loader.h"

namespace stepbench::loader {

// The order of epochs that directly follow torch.manual_seed(seed), each with an iterator of its
// own or, with `one_iterator`, all with the same (persistent workers). An epoch takes all draws
// before it: it is quick to ask for epochs one after another. One thread.
[[nodiscard]] EpochOrder python_shuffle(std::int64_t samples, std::uint64_t seed,
                                        bool one_iterator);

}  // namespace stepbench::loader
