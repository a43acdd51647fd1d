// SPDX-License-Identifier: Apache-2.0
// Locks that make runs on one machine exclude each other: one per device, held for the whole run
// and released with its process. Throws ConfigError.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/os/descriptor.h"
#include "harness/plan/plan.h"
#include "harness/run/terminal.h"

namespace stepbench::campaign {

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

// Locks that make runs on one machine exclude each other: one per device, held for the whole run.

// Behaviour while another run measures on the same device: error, wait, or ignore.
enum class LockPolicy : std::uint8_t { kRefuse, kWait, kNone };

// Adds the devices used by cases of this plan to `devices`.
void add_devices(const plan::Plan& plan, std::set<std::string>& devices);

// Acquires one lock per device, files in `directory`. Returns nullopt if interrupted while waiting.
// Throws ConfigError if another run measures and `policy` is not to wait.
[[nodiscard]] std::optional<std::vector<DeviceLock>> lock_devices(
    const std::filesystem::path& directory, const std::set<std::string>& devices, LockPolicy policy,
    run::Interrupts& interrupts, run::Progress& progress);

}  // namespace stepbench::campaign
