// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/shared_memory.h"

#include <sys/statvfs.h>

#include <algorithm>
#include <regex>

namespace stepbench::machine {

std::string free_shared_memory(std::int64_t bytes) {
  return "/dev/shm has " + std::to_string(bytes >> 20) +
         " MiB free: loader workers that are processes hand batches over there";
}

std::string with_shared_memory(std::string reason, const std::filesystem::path& directory) {
  static const std::regex kSegment("</?torch_[0-9_]+>");
  const bool is_shared_memory_error = reason.find("shared memory") != std::string::npos ||
                                      reason.find("/dev/shm") != std::string::npos ||
                                      std::regex_search(reason, kSegment);
  if (!is_shared_memory_error) return reason;
  reason = std::regex_replace(reason, kSegment, "</torch_...>");
  struct statvfs found {};
  if (::statvfs(directory.c_str(), &found) != 0) return reason;
  const auto free =
      static_cast<std::int64_t>(found.f_bavail) * static_cast<std::int64_t>(found.f_frsize);
  if (free >= kLittleSharedMemory) return reason;
  return reason + "; " + free_shared_memory(free) + "; " + kMoreSharedMemory;
}

}  // namespace stepbench::machine
