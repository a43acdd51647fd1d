// SPDX-License-Identifier: Apache-2.0
// Facts of this machine, for people and for comparisons. `root` replaces "/": tests pass a fake
// tree. Unreadable values are absent, never zero.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/devices.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

// Constant during a run: host, kernel, CPU, affinity, memory, governor, turbo, cgroup limits, THP,
// devices.
[[nodiscard]] Fields host_environment(const std::filesystem::path& root, const Devices& devices);

// "unknown" if unreadable.
[[nodiscard]] std::string host_name(const std::filesystem::path& root);
// CPUs that this process may use; empty if unreadable.
[[nodiscard]] std::vector<int> cpus_in_affinity(const std::filesystem::path& root);
[[nodiscard]] int cores_in_affinity(const std::filesystem::path& root);  // at least 1
// The same, limited by control groups: a quota of 1.5 gives 1.5 cores.
[[nodiscard]] double usable_cores(const std::filesystem::path& root);

// git.sha, git.branch and git.dirty of the repository that contains `directory`; empty outside one.
// Runs `git`.
[[nodiscard]] Fields git_state(const std::filesystem::path& directory);

}  // namespace stepbench::machine
