// SPDX-License-Identifier: Apache-2.0
// Workers' shared-memory segments are named /stepbench-<controller pid>-...: the controller removes
// those that a worker leaves behind, and the next run removes those of a killed controller. torch
// names its tensor segments by process, /torch_<pid>_..., and leaves one behind if there is no room
// for it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>

namespace stepbench::run {

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
