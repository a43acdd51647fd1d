// SPDX-License-Identifier: Apache-2.0
// Starts a child process that runs another program.
#pragma once

#include <unistd.h>
#include <csignal>

#include <cerrno>

namespace stepbench::os {

// Runs `child_main` in a vfork() child, which shares this process's memory until it execs or exits;
// the calling thread is suspended until then. This avoids copying page tables, which takes
// milliseconds in large processes. `child_main` must only make async-signal-safe calls, must not
// change memory of its parent, and must end in exec or _exit. It starts with no signal blocked and
// none caught; ignored signals stay ignored. Returns as fork() does in the parent.
template <typename ChildMain>
pid_t start_child(const ChildMain& child_main) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of the parent runs in the child
  const pid_t pid = ::vfork();
  if (pid == 0) {
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction action {};
      if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
      action = {};
      action.sa_handler = SIG_DFL;
      ::sigaction(signal, &action, nullptr);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    child_main();
    ::_exit(127);
  }
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

}  // namespace stepbench::os
