// SPDX-License-Identifier: Apache-2.0
// A worker's process from fork to the last of its descendants: nothing that a worker started
// outlives it. Main thread only; the calling process may have no other children.
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

inline constexpr int kControlDescriptor = 3;  // of the worker; named to it by --control-fd=3
// Of the worker: the end of a socket that this program holds the other end of. The kernel kills the
// worker's process group when that one is closed, so that children of a worker end with a
// controller that was killed, whatever they do.
inline constexpr int kLifelineDescriptor = 4;

struct SpawnRequest {
  std::vector<std::string> argv;  // argv[0]: a path, or a name looked up in PATH
  machine::Variables environment;
  bool names_controller = true;  // in the environment, see orphans.h
  // That each of its processes may have as data, RLIMIT_DATA; nullopt: as much as this one.
  std::optional<std::int64_t> data_bytes = {};
};

// A worker as its parent sees it. Closing `lifeline` kills its group; reap_all() waits for the end
// of all.
struct WorkerProcess {
  pid_t pid = -1;          // also its process group
  os::Descriptor pidfd;    // readable when it is dead
  os::Descriptor control;  // our end of its fd 3; non-blocking
  os::Descriptor output;   // stdout and stderr together; non-blocking
  os::Descriptor lifeline;
};

// Call from the program's main thread: the kernel kills the worker when the thread that started it
// dies. The worker has its own process group, stdin /dev/null, and no descriptor but 0 to 4; its
// environment names this program (orphans.h). Throws ConfigError when argv[0] cannot be run.
[[nodiscard]] WorkerProcess spawn_worker(const SpawnRequest& request);

// A path for argv[0] as a shell would find it; throws ConfigError.
[[nodiscard]] std::string resolve_program(const std::string& name,
                                          const machine::Variables& environment);

// Descendants whose parents die become our children. Once per program, before the first worker.
void become_subreaper();

// How the process `pid` ended, a waitpid() status; nullopt while it lives. Leaves it to be
// reaped.
[[nodiscard]] std::optional<int> peek_status(pid_t pid);
// A signal has stopped this child, and none has let it go on.
[[nodiscard]] bool is_stopped(pid_t pid);

// Kills the group, then every child there is, until none is left. False when one could not be
// killed within the limit (it hangs in the kernel).
[[nodiscard]] bool reap_all(pid_t group,
                            std::chrono::milliseconds limit = std::chrono::seconds{10});

}  // namespace stepbench::run
