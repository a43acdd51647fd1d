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
int remove_stale_segments(const std::filesystem::path& directory);

}  // namespace stepbench::run
