// SPDX-License-Identifier: Apache-2.0
// What every command that measures does around its launches.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/plan/plan.h"
#include "harness/run/controller.h"
#include "harness/run/interrupts.h"
#include "harness/run/lock.h"
#include "harness/run/progress.h"
#include "tools/stepbench/command.h"

namespace stepbench::cli {

enum class LockPolicy : std::uint8_t { kRefuse, kWait, kNone };

// --no-lock and --wait-lock.
[[nodiscard]] LockPolicy lock_policy(bool no_lock, bool wait_lock);

[[nodiscard]] Progress make_progress(const Environment& environment, bool quiet,
                                     const Clock& clock);

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

// Launches what `agenda` asks for into a new result file in setup.run_dir, and watches the GPUs
// meanwhile. Throws Error that tells where the finished rows are.
void measure(RunSetup setup, const RunRow& header, const ColumnRow& columns, const Shard& shard,
             Agenda& agenda, Results& finished, Progress& progress, Interrupts& interrupts,
             const Clock& clock);

}  // namespace stepbench::cli
