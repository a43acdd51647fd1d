// SPDX-License-Identifier: Apache-2.0
#include "harness/os/death.h"

#include <sys/wait.h>

#include <csignal>
#include <cstring>

namespace stepbench {

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  const char* description = ::sigdescr_np(signal);
  if (name == nullptr || description == nullptr) return "signal " + std::to_string(signal);
  return std::string{"SIG"} + name + " (" + description + ")";
}

std::string death_text(const Death& death) {
  if (WIFSIGNALED(death.status) && WTERMSIG(death.status) == SIGKILL && death.oom_killed) {
    std::string text = "was killed by the kernel for lack of memory";
    if (death.memory_limit_bytes) {
      text += " (the limit of its control group is " +
              std::to_string(*death.memory_limit_bytes >> 20) + " MiB)";
    }
    return text;
  }
  std::string text = WIFSIGNALED(death.status)
                         ? "was killed by " + signal_text(WTERMSIG(death.status))
                         : "exited with status " + std::to_string(WEXITSTATUS(death.status));
  if (death.oom_killed)
    text += " after a process of its control group was killed for lack of memory";
  return text;
}

}  // namespace stepbench
