// SPDX-License-Identifier: Apache-2.0
// Shared-memory segments of workers are named /stepbench-<controller pid>-...: whatever a worker
// leaves behind is removed by its controller, and what a killed controller leaves by the next run.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace stepbench::run {

[[nodiscard]] std::string segment_prefix(pid_t controller);  // "/stepbench-123-"

// Both return how many were removed. `directory` is /dev/shm but in tests.
int remove_segments(const std::filesystem::path& directory, pid_t controller);
int remove_stale_segments(const std::filesystem::path& directory);

}  // namespace stepbench::run
