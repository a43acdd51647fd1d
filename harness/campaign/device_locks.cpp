// SPDX-License-Identifier: Apache-2.0
#include "harness/campaign/device_locks.h"

#include <poll.h>

#include "harness/base/error.h"

namespace stepbench::campaign {

void add_devices(const plan::Plan& plan, std::set<std::string>& devices) {
  for (const plan::PlannedCase& planned : plan.cases) {
    if (planned.skip) continue;
    devices.insert(planned.resolved.text_or("device", "cpu"));
  }
}

std::optional<std::vector<run::DeviceLock>> lock_devices(const std::filesystem::path& directory,
                                                         const std::set<std::string>& devices,
                                                         LockPolicy policy,
                                                         run::Interrupts& interrupts,
                                                         run::Progress& progress) {
  std::vector<run::DeviceLock> locks;
  if (policy == LockPolicy::kNone) return locks;
  for (const std::string& device : devices) {
    for (bool announced = false;;) {
      std::string holder;
      if (auto lock = run::DeviceLock::try_acquire(directory, device, holder)) {
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
        progress.print_line("waiting: " + holder_name + " measures on device " + device);
      announced = true;
      pollfd wait{interrupts.descriptor(), POLLIN, 0};
      constexpr int kRetryMs = 200;
      if (::poll(&wait, 1, kRetryMs) > 0 && interrupts.take()) return std::nullopt;
    }
  }
  return locks;
}

}  // namespace stepbench::campaign
