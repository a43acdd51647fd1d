// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/internal/device_locks.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <cstring>

#include "harness/base/error.h"
#include "harness/base/format.h"

namespace stepbench::campaign {
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
  throw ConfigError(file.string(), formatted("cannot lock the device: {} (--no-lock runs without)",
                                             std::strerror(errno)));
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
    const std::string pid = formatted("{}\n", ::getpid());
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

void add_devices(const plan::Plan& plan, std::set<std::string>& devices) {
  for (const plan::PlannedCase& planned : plan.cases) {
    if (planned.skip) continue;
    devices.insert(planned.resolved.text_or("device", "cpu"));
  }
}

std::optional<std::vector<DeviceLock>> lock_devices(const std::filesystem::path& directory,
                                                    const std::set<std::string>& devices,
                                                    LockPolicy policy, run::Interrupts& interrupts,
                                                    run::Progress& progress) {
  std::vector<DeviceLock> locks;
  if (policy == LockPolicy::kNone) return locks;
  for (const std::string& device : devices) {
    for (bool announced = false;;) {
      std::string holder;
      if (auto lock = DeviceLock::try_acquire(directory, device, holder)) {
        locks.push_back(std::move(*lock));
        break;
      }
      const std::string holder_name =
          "another run" + (holder.empty() ? "" : " (process " + holder + ")");
      if (policy == LockPolicy::kRefuse) {
        throw ConfigError("device " + device,
                          holder_name +
                              " is measuring on it; two runs disturb each other: --wait-lock waits "
                              "for its end, --no-lock measures anyway");
      }
      if (!announced)
        progress.print_line(formatted("waiting: {} measures on device {}", holder_name, device));
      announced = true;
      pollfd wait{interrupts.descriptor(), POLLIN, 0};
      constexpr int kRetryMs = 200;
      if (::poll(&wait, 1, kRetryMs) > 0 && interrupts.take()) return std::nullopt;
    }
  }
  return locks;
}

}  // namespace stepbench::campaign
