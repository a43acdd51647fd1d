// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace stepbench::gpu {

// Writes NAME.activity and NAME.expected from a few real steps: tests/unit/cuda/recorded/README.md.
// Exit code: 0, 1 it failed, 77 no GPU; says why on stderr.
[[nodiscard]] int record_activity(const std::string& name);

}  // namespace stepbench::gpu
