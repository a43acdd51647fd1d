// SPDX-License-Identifier: Apache-2.0
// What this program asks of operator new, of all threads.
#pragma once

#include <cstdint>

namespace stepbench::cuda {

[[nodiscard]] std::int64_t heap_allocations();  // since the program's start
[[nodiscard]] std::int64_t heap_bytes();        // not given back yet

}  // namespace stepbench::cuda
