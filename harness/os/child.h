// SPDX-License-Identifier: Apache-2.0
// A child process that becomes another program.
#pragma once

#include <unistd.h>
#include <csignal>

#include <cerrno>

namespace stepbench::os {

// Runs `become` in a child that borrows this process's memory until it execs or exits; the calling
// thread waits for that. So no page tables are copied, which takes milliseconds where a process is
// large. `become` makes async-signal-safe calls only, changes nothing of its parent's memory, and
// ends in exec or _exit. It begins with no signal blocked and none caught; ignored ones stay
// ignored. Returns as fork() does in the parent.
template <typename Become>
pid_t start_child(const Become& become) {
  sigset_t all;
  sigset_t before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // no handler of ours runs in the child
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
    become();
    ::_exit(127);
  }
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

}  // namespace stepbench::os
