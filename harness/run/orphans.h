// SPDX-License-Identifier: Apache-2.0
// Finds processes left by a killed controller: those that created a session of their own, so that
// the launch's lifeline did not reach them. Every worker's environment names its controller and is
// inherited by all its children; the next run ends those whose controller is dead.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::run {

inline constexpr std::string_view kControllerVariable = "STEPBENCH_CONTROLLER";

// "123.4567": pid and start time, so that a later process with the same pid differs.
[[nodiscard]] std::string controller_name(const std::filesystem::path& root, pid_t controller);

// Returns whether the process of this name is alive.
[[nodiscard]] bool lives(const std::filesystem::path& root, const std::string& controller);

struct Orphan {
  pid_t pid = 0;
  std::string program;  // "sleep"
};

// Returns orphans that this user may inspect, in this pid namespace. `root` replaces "/".
[[nodiscard]] std::vector<Orphan> find_orphans(const std::filesystem::path& root);

// Kills them and returns a message: "ended 2 processes that a killed run had left: 123 (sleep), 124
// (sh)". Empty if there were none.
[[nodiscard]] std::string end_orphans();

}  // namespace stepbench::run
