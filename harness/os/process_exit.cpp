// SPDX-License-Identifier: Apache-2.0
#include "harness/os/process_exit.h"

#include <sys/wait.h>

#include <cstring>

namespace stepbench::os {

int wait_status(const siginfo_t& info) {
  return info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : W_EXITCODE(0, info.si_status);
}

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  const char* description = ::sigdescr_np(signal);
  if (name == nullptr || description == nullptr) return "signal " + std::to_string(signal);
  return std::string{"SIG"} + name + " (" + description + ")";
}

namespace {

std::string limit_aside(const ProcessExit& exit) {
  if (!exit.memory_limit_bytes) return {};
  return " (the limit of its control group is " + std::to_string(*exit.memory_limit_bytes >> 20) +
         " MiB)";
}

}  // namespace

std::string oom_text(const ProcessExit& exit) {
  if (!exit.oom_killed) return {};
  return "a process of its control group was killed for lack of memory" + limit_aside(exit);
}

std::string exit_text(const ProcessExit& exit) {
  if (WIFSIGNALED(exit.status) && WTERMSIG(exit.status) == SIGKILL && exit.oom_killed) {
    return "was killed by the kernel for lack of memory" + limit_aside(exit);
  }
  std::string text = WIFSIGNALED(exit.status)
                         ? "was killed by " + signal_text(WTERMSIG(exit.status))
                         : "exited with status " + std::to_string(WEXITSTATUS(exit.status));
  if (WIFSIGNALED(exit.status) && WTERMSIG(exit.status) == SIGBUS) {
    text += " (a mapped file was changed or truncated while it was read, or /dev/shm is full)";
  }
  if (exit.oom_killed) text += " after " + oom_text(exit);
  return text;
}

}  // namespace stepbench::os
