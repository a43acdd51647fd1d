// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/formats/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "harness/base/error.h"

namespace stepbench {
namespace {

std::span<const std::byte> map(int fd, const std::string& path) {
  const auto refuse = [&](const char* what) {
    throw ConfigError(path, std::string(what) + ": " + std::generic_category().message(errno));
  };
  struct stat status {};
  if (::fstat(fd, &status) != 0) refuse("cannot be inspected");
  if (!S_ISREG(status.st_mode)) throw ConfigError(path, "is not a regular file");
  if (status.st_size == 0) throw ConfigError(path, "is empty");
  const auto size = static_cast<std::size_t>(status.st_size);
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (memory == MAP_FAILED) refuse("cannot be mapped");
  return {static_cast<const std::byte*>(memory), size};
}

}  // namespace

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  // Not blocking: it may be a pipe.
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    throw ConfigError(path_, "cannot be opened: " + std::generic_category().message(errno));
  }
  try {
    bytes_ = map(fd, path_);
  } catch (...) {
    ::close(fd);
    throw;
  }
  ::close(fd);
}

void MappedFile::release_pages() const {
  (void)::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);  // NOLINT
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT: munmap's signature
}

}  // namespace stepbench
