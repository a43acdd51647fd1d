// SPDX-License-Identifier: Apache-2.0
// Runs a program and kills it at one of its system calls.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace stepbench::storm {

struct Traced {
  int calls = 0;  // stops: entries and exits of system calls of its own process only
  bool ended_by_itself = false;
  int status = 0;  // from waitpid()
};

// Kills it with SIGKILL at stop number `kill_at`, counted from 0; -1: lets it end. Its output goes
// to /dev/null. `at_stop` is called with the number of each stop.
[[nodiscard]] Traced run_traced(std::vector<std::string> words, int kill_at,
                                const std::function<void(int stop)>& at_stop = {});

}  // namespace stepbench::storm
