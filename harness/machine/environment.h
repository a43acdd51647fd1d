// SPDX-License-Identifier: Apache-2.0
// What this machine is, for people and for comparisons. `root` stands for "/": tests give a fake
// tree. What cannot be read is absent, never zero.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "harness/machine/devices.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

// Constant while a run lasts: host, kernel, CPU, affinity, memory, governor, turbo, cgroup limits,
// THP, devices.
[[nodiscard]] Fields host_environment(const std::filesystem::path& root, const Devices& devices);

// "unknown" when unreadable.
[[nodiscard]] std::string host_name(const std::filesystem::path& root);
// On which this process may run; empty when unreadable.
[[nodiscard]] std::vector<int> cpus_in_affinity(const std::filesystem::path& root);
[[nodiscard]] int cores_in_affinity(const std::filesystem::path& root);  // at least 1
// The same where no control group allows less: a quota of 1.5 is 1.5 cores.
[[nodiscard]] double usable_cores(const std::filesystem::path& root);

// Of the repository that holds `directory`: git.sha, git.branch, git.dirty; empty outside one. Runs
// `git`.
[[nodiscard]] Fields git_state(const std::filesystem::path& directory);

}  // namespace stepbench::machine
