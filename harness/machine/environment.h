// SPDX-License-Identifier: Apache-2.0
// The environment of a run: NVIDIA devices as visible without CUDA (the controller never
// initialises a device), facts of this machine for people and for comparisons, and the environment
// variables of a worker process. `root` replaces "/": tests pass a fake tree. Unreadable values are
// absent, never zero. Any thread.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/base/resolved_case.h"
#include "harness/record/rows.h"

namespace stepbench::machine {

using Variables = std::vector<std::pair<std::string, std::string>>;  // environment variables

struct Devices {
  int count = 0;
  std::string driver_version = {};       // empty: no driver
  int cuda_version = 0;                  // supported by the driver; 13000 is 13.0, 0: unknown
  std::vector<std::string> models = {};  // may be shorter than count
};

// Devices as NVML reports them; nullopt if it is absent or fails.
[[nodiscard]] std::optional<Devices> nvml_devices();

using ManagementLibrary = std::function<std::optional<Devices>()>;

// The count is that of NVML; names and driver come from /proc/driver if it is visible: sandboxes
// hide it.
[[nodiscard]] Devices find_devices(const std::filesystem::path& root,
                                   const ManagementLibrary& management_library);

// Also false if CUDA_VISIBLE_DEVICES hides every device.
[[nodiscard]] bool cuda_available(const Devices& devices, const Variables& variables);

// Number of devices that a process with these variables sees.
[[nodiscard]] int visible_devices(const Devices& devices, const Variables& variables);

// Parses the environment of main(): "NAME=value" entries, null-terminated. Skips entries without
// '='.
[[nodiscard]] Variables variables_of(const char* const* entries);

[[nodiscard]] std::optional<std::string_view> find_variable(const Variables& variables,
                                                            std::string_view name);

// Facts of this machine.

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

// The environment of a worker process. Pure.

// Inherited variables minus the deny-list, plus `threads`, plus `env`; later ones override.
struct LauncherEnvironment {
  Variables variables;
  std::vector<std::string> removed;  // inherited names that were removed
};

[[nodiscard]] LauncherEnvironment launcher_environment(const Variables& inherited,
                                                       const ResolvedCase& resolved);

// Variables that attach a profiler or tracer to every CUDA or torch process, whose overhead would
// be measured too. Excludes LD_PRELOAD: it is used for allocators and is recorded.
[[nodiscard]] bool is_denied(std::string_view variable);

// Variables that affect a step's speed, as fields "env.NAME". Secret values become "***".
[[nodiscard]] Fields relevant_variables(const Variables& variables);

}  // namespace stepbench::machine
