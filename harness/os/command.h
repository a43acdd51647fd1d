// SPDX-License-Identifier: Apache-2.0
// Runs helper programs (git, a build, a worker that describes itself). Blocks the calling thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace stepbench::os {

struct CommandOptions {
  std::filesystem::path folder = {};                // where it works; empty: here
  std::vector<std::string> unset = {};              // variables that it does not inherit
  std::vector<std::string> set = {};                // "NAME=VALUE", besides those that it inherits
  std::size_t most_output = std::size_t{64} << 20;  // bytes of each stream that are kept
  bool drops_rest = false;  // what is more is dropped; else it ends the program
  bool to_its_end = false;  // a signal that tells this process to end has to wait
};

struct CommandResult {
  bool started = false;    // false: `reason` says why the program could not be run
  bool timed_out = false;  // then it was killed
  bool flooded = false;    // the same: more output than most_output
  int exit_status = 0;     // 128 + signal when killed by one
  std::string out;
  std::string err;
  std::string reason;
};

// Runs a program to its end. `argv[0]` with a slash is a path, else looked up in PATH. `input` goes
// to its stdin. The program leads a process group of its own, which is killed when it has ended, at
// the time limit, and when this process or the calling thread ends, whatever ends them. Throws
// Interrupted at SIGINT, SIGTERM or SIGHUP, when the group is killed; the signal takes effect then.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& argv,
                                        std::string_view input,
                                        std::chrono::milliseconds time_limit,
                                        const CommandOptions& options = {});

}  // namespace stepbench::os
