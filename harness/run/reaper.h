// SPDX-License-Identifier: Apache-2.0
// Nothing that a worker started outlives it. The process that calls these may have no other
// children.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>

namespace stepbench {

// Descendants whose parents die become our children. Once per program, before the first worker.
void become_subreaper();

// How the process `pid` ended, a waitpid() status; nothing while it lives. Leaves it to be reaped.
[[nodiscard]] std::optional<int> peek_status(pid_t pid);

// Kills the group, then every child there is, until none is left. False when one could not be
// killed within the limit (it hangs in the kernel).
[[nodiscard]] bool reap_all(pid_t group,
                            std::chrono::milliseconds limit = std::chrono::seconds{10});

}  // namespace stepbench
