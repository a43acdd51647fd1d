// SPDX-License-Identifier: Apache-2.0
#include "harness/run/device_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "harness/base/error.h"

namespace stepbench::run {
namespace {

// Opens first: in a sticky directory the kernel rejects O_CREAT for another user's file.
os::Descriptor open_or_create(const std::filesystem::path& file) {
  for (int attempt = 0; attempt < 100; ++attempt) {
    // O_NONBLOCK: another user's pipe of this name must not block.
    os::Descriptor existing{::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (existing.is_open()) return existing;
    if (errno == EACCES) {  // created by another user with a strict umask
      os::Descriptor readable{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
      if (readable.is_open()) return readable;
    }
    if (errno != ENOENT) break;
    os::Descriptor made{
        ::open(file.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666)};
    if (made.is_open()) {
      ::fchmod(made.value(), 0666);
      return made;
    }
    if (errno != EEXIST) break;
  }
  throw ConfigError(file.string(), std::string{"cannot lock the device: "} + std::strerror(errno) +
                                       " (--no-lock runs without)");
}

// The previous owner may have removed the file between open() and flock().
bool is_still_there(const os::Descriptor& descriptor, const std::filesystem::path& file) {
  struct stat ours {};
  struct stat theirs {};
  return ::fstat(descriptor.value(), &ours) == 0 && ::stat(file.c_str(), &theirs) == 0 &&
         ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev;
}

std::string file_name(const std::string& device) {
  std::string name = "stepbench-";
  for (const char c : device) name += c == '/' || c == ':' ? '-' : c;
  return name + ".lock";
}

}  // namespace

std::optional<DeviceLock> DeviceLock::try_acquire(const std::filesystem::path& directory,
                                                  const std::string& device, std::string& holder) {
  const std::filesystem::path file = directory / file_name(device);
  for (;;) {
    os::Descriptor descriptor = open_or_create(file);
    if (::flock(descriptor.value(), LOCK_EX | LOCK_NB) != 0) {
      std::array<char, 32> text{};
      const ssize_t count = ::pread(descriptor.value(), text.data(), text.size(), 0);
      holder.assign(text.data(), static_cast<std::size_t>(count > 0 ? count : 0));
      while (!holder.empty() && holder.back() == '\n') holder.pop_back();
      return std::nullopt;
    }
    if (!is_still_there(descriptor, file)) continue;
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(descriptor.value(), 0) == 0) {
      [[maybe_unused]] const ssize_t ignored =
          ::pwrite(descriptor.value(), pid.data(), pid.size(), 0);
    }
    return DeviceLock{file, std::move(descriptor)};
  }
}

DeviceLock::~DeviceLock() {
  if (descriptor_.is_open()) ::unlink(file_.c_str());
}

std::filesystem::path lock_directory() {
  for (const char* directory : {"/run/lock", "/tmp"}) {
    if (::access(directory, W_OK | X_OK) == 0) return directory;
  }
  return std::filesystem::temp_directory_path();
}

}  // namespace stepbench::run
