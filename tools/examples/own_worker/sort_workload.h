// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "harness/worker/worker_main.h"

namespace sorting {

[[nodiscard]] const stepbench::Catalogue& catalogue();
[[nodiscard]] std::span<const stepbench::WorkloadType> workloads();

}  // namespace sorting
