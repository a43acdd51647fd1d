// SPDX-License-Identifier: Apache-2.0
// Shared-memory segments of workers are named /stepbench-<controller pid>-...: whatever a worker
// leaves behind is removed by its controller, and what a killed controller leaves by the next run.
// torch names those of tensors by their process, /torch_<pid>_..., and leaves one where it finds no
// room for it.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <set>
#include <string>

namespace stepbench::run {

[[nodiscard]] std::string segment_prefix(pid_t controller);  // "/stepbench-123-"

// All return how many were removed. `directory` is /dev/shm but in tests.
int remove_segments(const std::filesystem::path& directory, pid_t controller);
// Of torch, of those of these processes that have ended.
int remove_segments_of(const std::filesystem::path& directory, const std::set<pid_t>& processes);
// Also of torch: those of the noted processes.
int remove_stale_segments(const std::filesystem::path& directory);

// In a segment of the controller, for the next run where this one is killed: the processes of a
// launch, where there is another one than the worker.
class ProcessNotes {
 public:
  ProcessNotes(const std::filesystem::path& directory, pid_t controller);
  void keep(const std::set<pid_t>& processes);

 private:
  std::filesystem::path file_;
  std::size_t noted_ = 1;
};

}  // namespace stepbench::run
