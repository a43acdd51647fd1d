// SPDX-License-Identifier: Apache-2.0
#include "harness/machine/shared_memory.h"

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <regex>
#include <utility>

#include "harness/text/numbers.h"

namespace stepbench::machine {

std::string free_shared_memory(std::int64_t bytes) {
  return "/dev/shm has " + std::to_string(bytes >> 20) +
         " MiB free: loader workers that are processes hand batches over there";
}

std::string open_files(std::int64_t limit) {
  return "a process may have " + text::with_separators(limit) +
         " files open: batches of loader workers that are processes need some each";
}

namespace {

std::string with_open_files(std::string reason) {
  // The second is how torch puts it when a descriptor could not be received.
  const bool is_it = reason.find("Too many open files") != std::string::npos ||
                     reason.find("items of ancdata") != std::string::npos;
  struct rlimit limit {};
  if (!is_it || ::getrlimit(RLIMIT_NOFILE, &limit) != 0) return reason;
  return reason + "; " + open_files(static_cast<std::int64_t>(limit.rlim_cur)) + "; " +
         kMoreOpenFiles;
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

}  // namespace

std::string with_known_cause(std::string reason, const std::filesystem::path& directory) {
  return with_open_files(with_shared_memory(std::move(reason), directory));
}

}  // namespace stepbench::machine
