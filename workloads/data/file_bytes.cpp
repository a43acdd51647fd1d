// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "harness/base/error.h"
#include "harness/os/descriptor.h"

namespace stepbench::data {
namespace {

[[noreturn]] void raise(const char* doing, int code) {
  throw Error(std::string(doing) + ": " + std::generic_category().message(code));
}

}  // namespace

void read_file(const std::string& path, std::size_t max_bytes, std::vector<std::byte>& bytes) {
  // O_NONBLOCK: the path may have become a pipe since it was listed.
  const os::Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.is_open()) raise("cannot be opened", errno);
  struct stat status {};
  if (::fstat(file.value(), &status) != 0) raise("cannot be inspected", errno);
  if (!S_ISREG(status.st_mode)) throw Error("is not a regular file");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size > max_bytes) {
    throw Error("has " + std::to_string(size) + " bytes, more than the limit of " +
                std::to_string(max_bytes));
  }
  bytes.resize(size);
  std::size_t got = 0;
  while (got < size) {
    const ssize_t n =
        ::pread(file.value(), bytes.data() + got, size - got, static_cast<off_t>(got));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) raise("cannot be read", errno);
    if (n == 0) break;  // truncated while being read
    got += static_cast<std::size_t>(n);
  }
  bytes.resize(got);
}

}  // namespace stepbench::data
