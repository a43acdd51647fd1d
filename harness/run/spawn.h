// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "harness/machine/devices.h"
#include "harness/os/descriptor.h"

namespace stepbench {

inline constexpr int kControlDescriptor = 3;  // of the worker; named to it by --control-fd=3

struct SpawnRequest {
  std::vector<std::string> argv;  // argv[0]: a path, or a name looked up in PATH
  Variables environment;
};

// A worker as its parent sees it. Closing the descriptors does not end it: see Reaper.
struct WorkerProcess {
  pid_t pid = -1;      // also its process group
  Descriptor pidfd;    // readable when it is dead
  Descriptor control;  // our end of its fd 3; non-blocking
  Descriptor output;   // stdout and stderr together; non-blocking
};

// Call from the program's main thread: the kernel kills the worker when the thread that started it
// dies. The worker has its own process group, stdin /dev/null, and no descriptor but 0 to 3. Throws
// ConfigError when argv[0] cannot be run.
[[nodiscard]] WorkerProcess spawn_worker(const SpawnRequest& request);

// A path for argv[0] as a shell would find it; throws ConfigError.
[[nodiscard]] std::string resolve_program(const std::string& name, const Variables& environment);

}  // namespace stepbench
