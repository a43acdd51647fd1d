// SPDX-License-Identifier: Apache-2.0
// What every command that measures does before its first launch.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/run/interrupts.h"
#include "harness/run/lock.h"
#include "harness/run/progress.h"

namespace stepbench::cli {

enum class LockPolicy : std::uint8_t { kRefuse, kWait, kNone };

// The devices that a plan's cases run on.
void add_devices(const Plan& plan, std::set<std::string>& devices);

// One lock per device. Nothing when interrupted while waiting. Throws ConfigError when another run
// measures and waiting was not asked for.
[[nodiscard]] std::optional<std::vector<DeviceLock>> lock_devices(
    const std::set<std::string>& devices, LockPolicy policy, Interrupts& interrupts,
    Progress& progress);

[[nodiscard]] std::filesystem::path make_run_dir(const std::filesystem::path& results,
                                                 const std::string& run_id);
// The run's id by its folder's name.
[[nodiscard]] std::string run_id_of(const std::filesystem::path& run_dir);

}  // namespace stepbench::cli
