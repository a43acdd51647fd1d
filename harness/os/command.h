// SPDX-License-Identifier: Apache-2.0
// Runs short helper programs (git, nvidia-smi, a worker that describes itself). Blocks the calling
// thread.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::os {

struct CommandResult {
  bool started = false;      // false: `reason` says why the program could not be run
  bool timed_out = false;    // then it was killed
  bool interrupted = false;  // the same: SIGINT, SIGTERM or SIGHUP came, and is still pending
  int exit_status = 0;       // 128 + signal when killed by one
  std::string out;
  std::string err;
  std::string reason;
};

// Runs a short helper program to its end in this environment. `argv[0]` with a slash is a path,
// else looked up in PATH. `input` goes to its stdin. Output beyond 64 MiB is cut off. The program
// leads a process group of its own, which is killed at the time limit and at a signal that tells
// this process to end; that signal takes effect when this returns. It dies with this thread.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& argv,
                                        std::string_view input,
                                        std::chrono::milliseconds time_limit);

}  // namespace stepbench::os
