// SPDX-License-Identifier: Apache-2.0
// Allows one run at a time per device, by a lock file that is released with its process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/os/descriptor.h"

namespace stepbench::run {

// Machine-wide lock, because two runs that measure on one device disturb each other. Released when
// its process ends. The file is removed when the lock is released.
class DeviceLock {
 public:
  // Returns nullopt if another process holds it; `holder` is then its pid ("" if unknown). Throws
  // ConfigError if the file cannot be created.
  [[nodiscard]] static std::optional<DeviceLock> try_acquire(const std::filesystem::path& directory,
                                                             const std::string& device,
                                                             std::string& holder);
  DeviceLock(DeviceLock&&) noexcept = default;
  DeviceLock& operator=(DeviceLock&&) = delete;
  ~DeviceLock();

 private:
  DeviceLock(std::filesystem::path file, os::Descriptor descriptor)
      : file_(std::move(file)), descriptor_(std::move(descriptor)) {}
  std::filesystem::path file_;
  os::Descriptor descriptor_;
};

// Directory for locks: the first of /run/lock and /tmp that every user may write to.
[[nodiscard]] std::filesystem::path lock_directory();

}  // namespace stepbench::run
