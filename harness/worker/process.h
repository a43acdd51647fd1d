// SPDX-License-Identifier: Apache-2.0
// What makes a process a worker. Linux only.
#pragma once

#include <string>

namespace stepbench {

// Dies with its parent, reads nothing from standard input, takes signals as a fresh program would.
void become_a_worker();

// The GNU build id of the running program in hex; when the linker wrote none, a digest of the
// program's file.
[[nodiscard]] std::string build_id();

}  // namespace stepbench
