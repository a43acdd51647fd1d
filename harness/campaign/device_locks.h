// SPDX-License-Identifier: Apache-2.0
// Locks that make runs on one machine exclude each other: one per device, held for the whole run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/run/device_lock.h"
#include "harness/run/interrupts.h"
#include "harness/run/progress.h"

namespace stepbench::campaign {

// Behaviour while another run measures on the same device: error, wait, or ignore.
enum class LockPolicy : std::uint8_t { kRefuse, kWait, kNone };

// Adds the devices used by cases of this plan to `devices`.
void add_devices(const plan::Plan& plan, std::set<std::string>& devices);

// Acquires one lock per device, files in `directory`. Returns nullopt if interrupted while waiting.
// Throws ConfigError if another run measures and `policy` is not to wait.
[[nodiscard]] std::optional<std::vector<run::DeviceLock>> lock_devices(
    const std::filesystem::path& directory, const std::set<std::string>& devices, LockPolicy policy,
    run::Interrupts& interrupts, run::Progress& progress);

}  // namespace stepbench::campaign
