// SPDX-License-Identifier: Apache-2.0
// The memory that this process holds. Any thread.
#pragma once

#include <cstdint>
#include <optional>

namespace stepbench::os {

// Memory of its own and mapped shared memory, without what the heap keeps free for later, which
// rises and falls over a hundred steps and more; nullopt: unknown.
[[nodiscard]] std::optional<std::int64_t> held_bytes();

}  // namespace stepbench::os
