// SPDX-License-Identifier: Apache-2.0
// /dev/shm, through which loader worker processes pass batches: messages about a small one, before
// a run and after a failed launch. Any thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace stepbench::machine {

inline constexpr std::int64_t kLittleSharedMemory = std::int64_t{1} << 30;
inline constexpr const char* kMoreSharedMemory =
    "sudo mount -o remount,size=8g /dev/shm; docker run --shm-size=8g; in Kubernetes an emptyDir "
    "of medium Memory there";

// "/dev/shm has 8 MiB free: loader workers that are processes hand batches over there"
[[nodiscard]] std::string free_shared_memory(std::int64_t bytes);

// Appends the free space and a remedy to a launch's failure reason, if shared memory was refused
// and `directory` (/dev/shm except in tests) has little. Removes the segment's number, so that
// launches with the same failure have equal reasons.
[[nodiscard]] std::string with_shared_memory(std::string reason,
                                             const std::filesystem::path& directory);

}  // namespace stepbench::machine
