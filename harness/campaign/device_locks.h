// SPDX-License-Identifier: Apache-2.0
// Runs on one machine exclude each other: one lock per device, for as long as a run lasts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/run/interrupts.h"
#include "harness/run/lock.h"
#include "harness/run/progress.h"

namespace stepbench::campaign {

// What happens while another run measures on the same device: an error, waiting, or nothing.
enum class LockPolicy : std::uint8_t { kRefuse, kWait, kNone };

// The flags --no-lock and --wait-lock.
[[nodiscard]] LockPolicy lock_policy(bool no_lock, bool wait_lock);

// The devices on which cases of this plan run, added to `devices`.
void add_devices(const plan::Plan& plan, std::set<std::string>& devices);

// One lock per device, files in `directory`. nullopt if interrupted while waiting. Throws
// ConfigError when another run measures and waiting was not asked for.
[[nodiscard]] std::optional<std::vector<run::DeviceLock>> lock_devices(
    const std::filesystem::path& directory, const std::set<std::string>& devices, LockPolicy policy,
    run::Interrupts& interrupts, run::Progress& progress);

}  // namespace stepbench::campaign
