// SPDX-License-Identifier: Apache-2.0
// Controls a worker's process from fork to the last of its descendants, none of which outlives it,
// and removes what dead processes leave on a machine: processes of a killed controller, and
// segments of shared memory. Main thread only; the calling process may have no other children.
#pragma once

#include <sys/types.h>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/environment.h"
#include "harness/os/descriptor.h"

namespace stepbench::run {

inline constexpr std::string_view kControllerVariable = "STEPBENCH_CONTROLLER";

// "pid:[4026531836]": the namespace in which the pid of a process, /proc/PID, means it. Empty:
// unknown.
[[nodiscard]] std::string pid_namespace(const std::filesystem::path& process);
// "123.4567": pid and start time, so that a later process with the same pid differs.
[[nodiscard]] std::string controller_name(const std::filesystem::path& root, pid_t controller);

// Returns whether the process of this name is alive.
[[nodiscard]] bool lives(const std::filesystem::path& root, const std::string& controller);

struct Orphan {
  pid_t pid = 0;
  std::string program;  // "sleep"
};

// Returns orphans that this user may inspect, in this pid namespace. `root` replaces "/".
[[nodiscard]] std::vector<Orphan> find_orphans(const std::filesystem::path& root);

// Kills them and returns a message: "ended 2 processes that a killed run had left: 123 (sleep), 124
// (sh)". Empty if there were none.
[[nodiscard]] std::string end_orphans();

// Workers' shared-memory segments are named /stepbench-<controller pid>-...: the controller removes
// those that a worker leaves behind, and the next run removes those of a killed controller. torch
// names its tensor segments by process, /torch_<pid>_..., and leaves one behind if there is no room
// for it.

[[nodiscard]] std::string segment_prefix(pid_t controller);  // "/stepbench-123-"

// All return the number of removed segments. `directory` is /dev/shm, except in tests.
int remove_segments(const std::filesystem::path& directory, pid_t controller);
// torch segments of those of these processes that have ended.
int remove_segments_of(const std::filesystem::path& directory, const std::set<pid_t>& processes);
// Also removes torch segments of the noted processes.
int remove_stale_segments(const std::filesystem::path& directory);

// Notes the processes of a launch, if there are others than the worker, in a segment of the
// controller, for the next run in case this one is killed.
class ProcessNotes {
 public:
  ProcessNotes(const std::filesystem::path& directory, pid_t controller);
  void keep(const std::set<pid_t>& processes);

 private:
  std::filesystem::path file_;
  std::size_t noted_ = 1;
};

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

// Kills every child, until none is left. Returns false if one could not be killed within the limit
// (it hangs in the kernel).
[[nodiscard]] bool reap_children(std::chrono::milliseconds limit = std::chrono::seconds{10});
// The same, the group first.
[[nodiscard]] bool reap_all(pid_t group,
                            std::chrono::milliseconds limit = std::chrono::seconds{10});

}  // namespace stepbench::run
