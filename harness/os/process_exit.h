// SPDX-License-Identifier: Apache-2.0
// How a process ended, in words. Pure; any thread.
#pragma once

#include <csignal>
#include <cstdint>
#include <optional>
#include <string>

namespace stepbench::os {

struct ProcessExit {
  // Of waitpid().
  int status = 0;
  // The control group's count of processes killed for lack of memory grew.
  bool oom_killed = false;
  std::optional<std::int64_t> memory_limit_bytes = {};
};

// What waitpid() would have said, of what waitid() said with WEXITED.
[[nodiscard]] int wait_status(const siginfo_t& info);

// "SIGSEGV (Segmentation fault)"
[[nodiscard]] std::string signal_text(int signal);

// "exited with status 3", "was killed by SIGSEGV (Segmentation fault)", "was killed by the kernel
// for lack of memory".
[[nodiscard]] std::string exit_text(const ProcessExit& exit);

}  // namespace stepbench::os
