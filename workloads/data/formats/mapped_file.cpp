// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/formats/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "harness/base/error.h"
#include "workloads/data/file_kind.h"

namespace stepbench::data {
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
  // O_NONBLOCK: it may be a pipe.
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
  watch_.begin(bytes_);
}

void MappedFile::expect_before_loss(std::uint64_t end) const {
  struct stat status {};
  const bool there = ::stat(path_.c_str(), &status) == 0;
  const auto now = there ? static_cast<std::uint64_t>(status.st_size) : bytes_.size();
  // Beyond the end of a file, the rest of its last page reads as zeros without a fault.
  if (end <= std::min(now, watch_.lost_from())) return;
  if (now < bytes_.size()) {
    throw file_error(path_, now,
                     "the file was cut here while it was in use; it had " +
                         std::to_string(bytes_.size()) + " bytes when it was opened");
  }
  throw file_error(path_, watch_.lost_from(),
                   "the file was cut while it was in use, or its disk could not read it");
}

void MappedFile::release_pages() const {
  (void)::madvise(const_cast<std::byte*>(bytes_.data()), bytes_.size(), MADV_DONTNEED);  // NOLINT
}

MappedFile::~MappedFile() {
  watch_.end();
  ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());  // NOLINT: munmap's signature
}

}  // namespace stepbench::data
