// SPDX-License-Identifier: Apache-2.0
// Processes as seen from outside, in /proc: who belongs to a tree, and what it holds. `root` stands
// for
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
// In ticks of the clock since the machine was started; nullopt where no such process lives.
// With the id it names a process for good.
[[nodiscard]] std::optional<std::int64_t> start_ticks(const std::filesystem::path& root, pid_t pid);

// Whether it does something at this signal that is neither to end nor nothing.
[[nodiscard]] bool catches(pid_t pid, int signal);

// Summed over processes, in bytes: what the kernel counts anyway, cheap.
struct ResidentMemory {
  std::int64_t rss = 0;
  std::int64_t unshared = 0;  // the part that is neither of files nor in shared memory
};
[[nodiscard]] ResidentMemory resident_memory(const std::filesystem::path& root,
                                             std::span<const pid_t> tree);

// Summed over processes, in bytes. Walks their page tables: milliseconds for large ones.
struct TreeMemory {
  std::int64_t pss = 0;        // each page divided among those that map it
  std::int64_t uss = 0;        // pages that one process alone maps
  std::int64_t shared = 0;     // part of pss in shared memory: segments, rings, tmpfs
  std::int64_t compilers = 0;  // part of pss: of the processes that torch.compile starts
};
[[nodiscard]] TreeMemory tree_memory(const std::filesystem::path& root,
                                     std::span<const pid_t> tree);

[[nodiscard]] std::int64_t open_descriptors(const std::filesystem::path& root,
                                            std::span<const pid_t> tree);

// Used bytes of the file system of /dev/shm, whoever uses them; segments that were unlinked count.
[[nodiscard]] std::optional<std::int64_t> dev_shm_used_bytes(const std::filesystem::path& root);

}  // namespace stepbench::machine
