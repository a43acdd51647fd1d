// SPDX-License-Identifier: Apache-2.0
// The file system of /dev/shm, over which worker processes hand batches: what is said of one that
// is small, before anything runs and where a launch failed by it. Any thread.
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

// Why a launch failed, with that and what to do where shared memory was refused and `directory`,
// /dev/shm but in tests, has little. A segment's own number is left out: launches that failed
// alike say the same.
[[nodiscard]] std::string with_shared_memory(std::string reason,
                                             const std::filesystem::path& directory);

}  // namespace stepbench::machine
