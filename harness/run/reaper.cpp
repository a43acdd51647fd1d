// SPDX-License-Identifier: Apache-2.0
#include "harness/run/reaper.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <string>

#include "harness/base/error.h"
#include "harness/machine/process_tree.h"

namespace stepbench {

void become_subreaper() {
  if (::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) {
    throw Error(std::string{"PR_SET_CHILD_SUBREAPER: "} + std::strerror(errno));
  }
}

std::optional<int> peek_status(pid_t pid) {
  siginfo_t info{};
  if (::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid) {
    return std::nullopt;
  }
  return info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : info.si_status;
}

bool reap_all(pid_t group, std::chrono::milliseconds limit) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  ::kill(-group, SIGKILL);
  for (;;) {
    const pid_t reaped = ::waitpid(-1, nullptr, WNOHANG);
    if (reaped > 0 || (reaped < 0 && errno == EINTR)) continue;
    if (reaped < 0) return true;  // ECHILD
    if (std::chrono::steady_clock::now() > deadline) return false;
    for (const pid_t child : children_of("/", ::getpid())) ::kill(child, SIGKILL);
    const timespec pause{.tv_sec = 0, .tv_nsec = 1'000'000};
    ::nanosleep(&pause, nullptr);
  }
}

}  // namespace stepbench
