// SPDX-License-Identifier: Apache-2.0
#include "tests/storm/traced.h"

#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace stepbench::storm {
namespace {

[[noreturn]] void become_traced(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
  (void)::raise(SIGSTOP);
  (void)!::freopen("/dev/null", "w", stdout);
  (void)!::freopen("/dev/null", "w", stderr);
  ::execv(argv[0], argv.data());
  ::_exit(99);
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Traced run_traced(std::vector<std::string> words, int kill_at,
                  const std::function<void(int stop)>& at_stop) {
  constexpr int kSystemCall = SIGTRAP | 0x80;  // PTRACE_O_TRACESYSGOOD
  const pid_t pid = ::fork();
  if (pid == 0) become_traced(words);
  Traced traced{.status = wait_for(pid)};
  ::ptrace(PTRACE_SETOPTIONS, pid, nullptr, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
  for (long deliver = 0;;) {
    if (::ptrace(PTRACE_SYSCALL, pid, nullptr, deliver) != 0 && errno == ESRCH) break;
    traced.status = wait_for(pid);
    if (!WIFSTOPPED(traced.status)) break;
    const int signal = WSTOPSIG(traced.status);
    deliver = signal == kSystemCall || signal == SIGTRAP ? 0 : signal;
    if (signal != kSystemCall) continue;
    if (at_stop) at_stop(traced.calls);
    if (traced.calls++ == kill_at) {
      ::kill(pid, SIGKILL);
      traced.status = wait_for(pid);
      return traced;
    }
  }
  traced.ended_by_itself = true;
  return traced;
}

}  // namespace stepbench::storm
