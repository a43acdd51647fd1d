// SPDX-License-Identifier: Apache-2.0
#include "workloads/data/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>
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

namespace {

constexpr std::size_t kDigestBlockBytes = std::size_t{1} << 16;

}  // namespace

std::string file_digest(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             std::fclose);
  if (file == nullptr) throw Error(path + " cannot be opened");
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> state(XXH3_createState(),
                                                                              XXH3_freeState);
  XXH3_128bits_reset(state.get());
  std::array<char, kDigestBlockBytes> block;
  while (const std::size_t bytes = std::fread(block.data(), 1, block.size(), file.get())) {
    XXH3_128bits_update(state.get(), block.data(), bytes);
  }
  if (std::ferror(file.get()) != 0) throw Error(path + " cannot be read");
  std::array<char, 17> text{};
  (void)std::snprintf(text.data(), text.size(), "%016llx",
                      static_cast<unsigned long long>(XXH3_128bits_digest(state.get()).high64));
  return text.data();
}

}  // namespace stepbench::data
