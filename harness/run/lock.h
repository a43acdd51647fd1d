// SPDX-License-Identifier: Apache-2.0
// One run at a time on a device: a lock file that goes away with its process.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/os/descriptor.h"

namespace stepbench::run {

// Two runs that measure on one device at a time disturb each other: this keeps them apart,
// machine-wide, and goes away with its process. The file is removed when the lock is given back.
class DeviceLock {
 public:
  // nullopt if another process holds it; `holder` then names its pid ("" if unknown). Throws
  // ConfigError when the file cannot be made.
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

// Where locks are kept: the first of /run/lock and /tmp that every user may write to.
[[nodiscard]] std::filesystem::path lock_directory();

}  // namespace stepbench::run
