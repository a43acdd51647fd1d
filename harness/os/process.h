// SPDX-License-Identifier: Apache-2.0
// Processes: runs programs in child processes (helper programs, git on the user's repository),
// which blocks the calling thread; describes how a process ended; reads the kernel's counters of
// processes. Any thread.
#pragma once

#include <sys/types.h>
#include <unistd.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
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

// Git on the repository that contains a folder. It takes no lock, so that concurrent commands of
// the user do not fail; it ignores variables that name a repository, index or setting, as hooks and
// aliases set them; its output is plain UTF-8 whatever the user's settings.

// The output of `git rev-parse --local-env-vars`.
[[nodiscard]] const std::vector<std::string>& variables_of_git();

// Throws Interrupted as run_command() does, unless `defers_signals` is set.
[[nodiscard]] CommandResult run_git(const std::filesystem::path& folder,
                                    std::vector<std::string> arguments,
                                    std::chrono::milliseconds time_limit = std::chrono::seconds(10),
                                    bool defers_signals = false);

// How a process ended.

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

// Kernel counters of processes: CPU time, page faults, context switches, memory.

// Counts since a process's start; also a difference of two readings.
struct Usage {
  std::int64_t user_ns = 0;
  std::int64_t system_ns = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;

  Usage& operator+=(const Usage& other);
  friend Usage operator-(Usage a, const Usage& b);
  friend Usage operator+(Usage a, const Usage& b) { return a += b; }
};

// This process, all threads, without children.
[[nodiscard]] Usage current_usage();
// All ended and reaped children of this process, and theirs.
[[nodiscard]] Usage usage_of_ended_children();
// A living process, from /proc, in resolution of clock ticks; zeros if unavailable. Once the child
// is reaped, usage_of_ended_children() includes the same amounts.
[[nodiscard]] Usage usage_of(pid_t process);
// Largest resident set of this process since its program was started; 0 if unavailable.
[[nodiscard]] std::int64_t peak_rss_bytes();
// Memory of this process alone and mapped shared memory, without what the heap keeps free for
// later, which rises and falls over a hundred steps and more; nullopt: unknown.
[[nodiscard]] std::optional<std::int64_t> held_bytes();

}  // namespace stepbench::os
