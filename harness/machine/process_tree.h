// SPDX-License-Identifier: Apache-2.0
// Processes in /proc, observed from outside: members of a tree and their memory. `root` replaces
// "/". Any thread.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

namespace stepbench::machine {

[[nodiscard]] std::vector<pid_t> children_of(const std::filesystem::path& root, pid_t parent);
[[nodiscard]] std::vector<pid_t> process_tree(const std::filesystem::path& root,
                                              pid_t top);  // `top` first
// Start time in clock ticks since boot; nullopt if the process does not exist. Together with the
// pid it identifies a process uniquely.
[[nodiscard]] std::optional<std::int64_t> start_ticks(const std::filesystem::path& root, pid_t pid);

// True if the process has a handler for this signal (neither default nor ignored).
[[nodiscard]] bool catches(pid_t pid, int signal);

// Sums over processes, in bytes: counters that the kernel maintains anyway, cheap to read.
struct ResidentMemory {
  std::int64_t rss = 0;
  std::int64_t unshared = 0;  // neither file-backed nor shared memory
};
[[nodiscard]] ResidentMemory resident_memory(const std::filesystem::path& root,
                                             std::span<const pid_t> tree);
// Shared memory that a process has mapped and touched, in bytes; as cheap.
[[nodiscard]] std::int64_t mapped_shared_memory(const std::filesystem::path& root, pid_t pid);

// Sums over processes, in bytes. The kernel walks the page tables: milliseconds for large
// processes.
struct TreeMemory {
  std::int64_t pss = 0;        // each page divided by the number of its mappings
  std::int64_t uss = 0;        // pages mapped by one process only
  std::int64_t shared = 0;     // part of pss in shared memory: segments, rings, tmpfs
  std::int64_t compilers = 0;  // part of pss in processes started by torch.compile
};
[[nodiscard]] TreeMemory tree_memory(const std::filesystem::path& root,
                                     std::span<const pid_t> tree);

[[nodiscard]] std::int64_t open_descriptors(const std::filesystem::path& root,
                                            std::span<const pid_t> tree);

// Used bytes of /dev/shm, by any process; includes unlinked segments.
[[nodiscard]] std::optional<std::int64_t> dev_shm_used_bytes(const std::filesystem::path& root);

}  // namespace stepbench::machine
