// SPDX-License-Identifier: Apache-2.0
// What a killed controller left running: processes that made a session of their own, so that the
// lifeline of the launch did not reach them. Every worker's environment names its controller, and
// all that it starts inherits it; the next run ends those whose controller is dead.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::run {

inline constexpr std::string_view kControllerVariable = "STEPBENCH_CONTROLLER";

// "123.4567": its id and when it was started, so that no later process has the same name.
[[nodiscard]] std::string controller_name(const std::filesystem::path& root, pid_t controller);

// Whether the process of this name lives.
[[nodiscard]] bool lives(const std::filesystem::path& root, const std::string& controller);

struct Orphan {
  pid_t pid = 0;
  std::string program;  // "sleep"
};

// Those that this user may look at, in this namespace of process ids. `root` stands for "/".
[[nodiscard]] std::vector<Orphan> find_orphans(const std::filesystem::path& root);

// Kills them, and says so: "ended 2 processes that a killed run had left: 123 (sleep), 124 (sh)".
// Empty when there was none.
[[nodiscard]] std::string end_orphans();

}  // namespace stepbench::run
