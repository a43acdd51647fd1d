// SPDX-License-Identifier: Apache-2.0
// Finds and removes what dead processes leave on a machine: processes of a killed controller, and
// segments of shared memory.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

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

}  // namespace stepbench::run
