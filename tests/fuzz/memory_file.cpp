// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/memory_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace stepbench::fuzz {

MemoryFile::MemoryFile(std::span<const std::uint8_t> bytes)
    : fd_(memfd_create("input", MFD_CLOEXEC)) {
  std::size_t written = 0;
  while (written < bytes.size()) {
    const ssize_t n = ::write(fd_, bytes.data() + written, bytes.size() - written);
    if (n <= 0) std::abort();
    written += static_cast<std::size_t>(n);
  }
}

MemoryFile::~MemoryFile() { ::close(fd_); }

std::filesystem::path MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

}  // namespace stepbench::fuzz
