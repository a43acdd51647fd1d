// SPDX-License-Identifier: Apache-2.0
// Set-up of a worker process. Linux only.
#pragma once

#include <cstdint>
#include <string>

namespace stepbench::worker {

// Ties the process to its parent's life, redirects standard input from /dev/null, resets signals to
// those of a fresh program, and keeps the control descriptor from programs that it starts.
void init_worker_process(int control_descriptor);

// Time since the kernel started the process, to 10 ms; 0 if unavailable.
[[nodiscard]] std::int64_t process_age_ns();

// The GNU build id of the running program in hex; without one, a digest of the program's file.
[[nodiscard]] std::string build_id();

}  // namespace stepbench::worker
