// SPDX-License-Identifier: Apache-2.0
// Allocations of this program through operator new, in all threads.
#pragma once

#include <cstdint>

namespace stepbench::cuda {

[[nodiscard]] std::int64_t heap_allocations();  // since the program's start
[[nodiscard]] std::int64_t heap_bytes();        // not freed yet

}  // namespace stepbench::cuda
