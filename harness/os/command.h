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
  std::filesystem::path folder = {};                // working folder; empty: the current one
  std::vector<std::string> unset = {};              // variables to remove
  std::vector<std::string> set = {};                // "NAME=VALUE", added to the inherited ones
  std::size_t most_output = std::size_t{64} << 20;  // maximum bytes kept per stream
  bool drops_rest = false;      // excess output is dropped; else it ends the program
  bool defers_signals = false;  // termination signals are deferred until it has ended
};

struct CommandResult {
  bool started = false;    // false: could not be run, see `reason`
  bool timed_out = false;  // killed at the time limit
  bool flooded = false;    // killed after more than most_output
  int exit_status = 0;     // 128 + signal if killed by one
  std::string out;
  std::string err;
  std::string reason;
};

// Runs a program to completion. `argv[0]` with a slash is a path, else searched in PATH. `input` is
// its stdin. The program leads its own process group, which is killed when the program ends, at the
// time limit, and when this process or the calling thread ends for any reason. On SIGINT, SIGTERM
// or SIGHUP kills the group and throws Interrupted; the signal is delivered afterwards.
[[nodiscard]] CommandResult run_command(const std::vector<std::string>& argv,
                                        std::string_view input,
                                        std::chrono::milliseconds time_limit,
                                        const CommandOptions& options = {});

}  // namespace stepbench::os
