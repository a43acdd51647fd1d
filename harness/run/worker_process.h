// SPDX-License-Identifier: Apache-2.0
// Controls a worker's process from fork to the last of its descendants: none of them outlives it.
// Main thread only; the calling process may have no other children.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/machine/devices.h"
#include "harness/os/descriptor.h"

namespace stepbench::run {

inline constexpr int kControlDescriptor = 3;  // in the worker; passed as --control-fd=3
// In the worker: one end of a socket whose other end this program holds. The kernel kills the
// worker's process group when this program's end is closed, so that its children end even if the
// controller is killed.
inline constexpr int kLifelineDescriptor = 4;

struct SpawnRequest {
  std::vector<std::string> argv;  // argv[0] is a path, or a name looked up in PATH
  machine::Variables environment;
  bool names_controller = true;  // in the environment, see leftovers.h
  // RLIMIT_DATA of each of its processes; nullopt: that of this process.
  std::optional<std::int64_t> data_bytes = {};
};

// A worker seen by its parent. Closing `lifeline` kills its group; reap_all() waits for the end.
struct WorkerProcess {
  pid_t pid = -1;          // also its process group
  os::Descriptor pidfd;    // readable when it is dead
  os::Descriptor control;  // our end of its fd 3; non-blocking
  os::Descriptor output;   // stdout and stderr together; non-blocking
  os::Descriptor lifeline;
};

// Call from the program's main thread, because the kernel kills the worker when the thread that
// started it dies. The worker has its own process group, stdin /dev/null and only descriptors 0 to
// 4; its environment names this program (leftovers.h). Throws ConfigError if argv[0] cannot be run.
[[nodiscard]] WorkerProcess spawn_worker(const SpawnRequest& request);

// Resolves argv[0] as a shell would; throws ConfigError.
[[nodiscard]] std::string resolve_program(const std::string& name,
                                          const machine::Variables& environment);

// Makes orphaned descendants children of this process. Call once, before the first worker.
void become_subreaper();

// Returns the waitpid() status of the ended process `pid`; nullopt while it runs. Does not reap it.
[[nodiscard]] std::optional<int> peek_status(pid_t pid);
// True while this child is stopped by a signal.
[[nodiscard]] bool is_stopped(pid_t pid);

// Kills the group, then every child, until none is left. Returns false if one could not be killed
// within the limit (it hangs in the kernel).
[[nodiscard]] bool reap_all(pid_t group,
                            std::chrono::milliseconds limit = std::chrono::seconds{10});

}  // namespace stepbench::run
