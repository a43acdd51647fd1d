// SPDX-License-Identifier: Apache-2.0
// A workload of your own: sorting. Its catalogue says what can be varied, its table makes it.
#pragma once

#include <span>

#include "harness/worker/worker_main.h"

namespace sorting {

[[nodiscard]] const stepbench::Catalogue& catalogue();
[[nodiscard]] std::span<const stepbench::WorkloadType> workloads();

}  // namespace sorting
