// SPDX-License-Identifier: Apache-2.0
// Message for a launch that was ended because it exceeded its memory limit. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace stepbench::run {

[[nodiscard]] std::string over_memory_text(std::int64_t used_bytes, std::int64_t allowed_bytes);

}  // namespace stepbench::run
