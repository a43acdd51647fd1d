// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stepbench::gpu {

// Writes NAME.activity and NAME.expected from a few real steps: tests/unit/cuda/recorded/README.md.
// Exit code: 0; 1: failed; 77: no GPU. Prints the reason on stderr.
[[nodiscard]] int record_activity(const std::string& name);

}  // namespace stepbench::gpu
