// SPDX-License-Identifier: Apache-2.0
// Describes how a process ended. Pure; any thread.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>

namespace stepbench::os {

struct ProcessExit {
  // As from waitpid().
  int status = 0;
  // The control group's count of OOM kills increased.
  bool oom_killed = false;
  std::optional<std::int64_t> memory_limit_bytes = {};
};

// Converts the result of waitid() with WEXITED to a status of waitpid().
[[nodiscard]] int wait_status(const siginfo_t& info);

// "SIGSEGV (Segmentation fault)"
[[nodiscard]] std::string signal_text(int signal);

// "exited with status 3", "was killed by SIGSEGV (Segmentation fault)", "was killed by the kernel
// for lack of memory".
[[nodiscard]] std::string exit_text(const ProcessExit& exit);

// "a process of its control group was killed for lack of memory (the limit ... is 64 MiB)"; empty
// unless one was.
[[nodiscard]] std::string oom_text(const ProcessExit& exit);

}  // namespace stepbench::os
