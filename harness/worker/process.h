// SPDX-License-Identifier: Apache-2.0
// What makes a process a worker. Linux only.
#pragma once

#include <cstdint>
#include <string>

namespace stepbench::worker {

// Dies with its parent, reads nothing from standard input, takes signals as a fresh program would;
// programs that it starts do not inherit the control descriptor.
void init_worker_process(int control_descriptor);

// Since the kernel started it, to 10 ms; 0 if unavailable.
[[nodiscard]] std::int64_t process_age_ns();

// The GNU build id of the running program in hex; when the linker wrote none, a digest of the
// program's file.
[[nodiscard]] std::string build_id();

}  // namespace stepbench::worker
