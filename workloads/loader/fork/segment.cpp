// SPDX-License-Identifier: Apache-2.0
#include "workloads/loader/fork/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <system_error>

#include "harness/base/error.h"

namespace stepbench::loader {
namespace {

std::string reason(int code) { return std::generic_category().message(code); }

}  // namespace

std::size_t shared_memory_free() {
  struct statvfs facts {};
  if (::statvfs("/dev/shm", &facts) != 0) return 0;
  return static_cast<std::size_t>(facts.f_bavail) * facts.f_frsize;
}

std::string in_mib(std::size_t bytes) {
  std::array<char, 32> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(),
                    static_cast<double>(bytes) / (1U << 20U), std::chars_format::fixed, 1);
  return std::string(text.data(), end) + " MiB";
}

SharedSegment SharedSegment::create(const std::string& name, std::size_t bytes) {
  os::Descriptor descriptor(::shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!descriptor.is_open()) throw Error("shared memory " + name + ": " + reason(errno));
  const auto length = static_cast<off_t>(bytes);
  int code = ::ftruncate(descriptor.value(), length) == 0 ? 0 : errno;
  if (code == 0) code = ::posix_fallocate(descriptor.value(), 0, length);
  ::shm_unlink(name.c_str());
  if (code != 0) {
    throw Error("a batch field needs " + in_mib(bytes) + " of /dev/shm and " +
                in_mib(shared_memory_free()) + " are free: " + reason(code));
  }
  return {std::move(descriptor), bytes};
}

SharedSegment SharedSegment::map(os::Descriptor descriptor, std::size_t bytes) {
  return {std::move(descriptor), bytes};
}

SharedSegment::SharedSegment(os::Descriptor descriptor, std::size_t bytes)
    : descriptor_(std::move(descriptor)), bytes_(bytes) {
  void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_.value(), 0);
  if (memory == MAP_FAILED) throw Error("a shared segment cannot be mapped: " + reason(errno));
  data_ = static_cast<std::byte*>(memory);
}

SharedSegment::~SharedSegment() {
  if (data_ != nullptr) ::munmap(data_, bytes_);
}

}  // namespace stepbench::loader
