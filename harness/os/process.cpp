// SPDX-License-Identifier: Apache-2.0
#include "harness/os/process.h"

#include <fcntl.h>
#include <malloc.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/os/descriptor.h"
#include "harness/os/text_file.h"

namespace stepbench::os {
namespace {

// Captured output of a stream, with its maximum.
struct CapturedOutput {
  std::string& text;
  std::size_t most;
  bool flooded = false;

  void add(std::string_view more) {
    flooded = flooded || more.size() > most - text.size();
    text.append(more.substr(0, most - text.size()));
  }
};

// Returns false at the end of the stream.
bool take(const Descriptor& from, CapturedOutput& into) {
  std::array<char, 16384> buffer;
  const ssize_t count = ::read(from.value(), buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  into.add({buffer.data(), static_cast<std::size_t>(count)});
  return true;
}

// Reads the rest of a pipe after its writer died. A process outside the killed group may keep it
// open and still write, so this stops after the bytes available now.
void drain(const Descriptor& from, CapturedOutput& into) {
  int bytes = 0;
  if (!from.is_open() || ::ioctl(from.value(), FIONREAD, &bytes) != 0) return;
  for (const std::size_t end = into.text.size() + static_cast<std::size_t>(bytes);
       into.text.size() < end && into.text.size() < into.most;) {
    if (!take(from, into)) return;
  }
}

bool give(const Descriptor& to, std::string_view& input) {
  const ssize_t count = ::send(to.value(), input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  input.remove_prefix(static_cast<std::size_t>(count));
  return !input.empty();
}

// Blocks SIGINT, SIGTERM and SIGHUP during its lifetime, except ignored ones.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t blocked;
    sigemptyset(&blocked);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action {};
      const bool ignored =
          ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
      if (!ignored) sigaddset(&blocked, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &blocked, &before_);
    descriptor_ = Descriptor{::signalfd(-1, &blocked, SFD_NONBLOCK | SFD_CLOEXEC)};
  }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;
  ~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // Readable while a signal is pending; never read, so that it stays readable.
  [[nodiscard]] int descriptor() const { return descriptor_.value(); }
  [[nodiscard]] static int pending() {
    sigset_t pending;
    ::sigpending(&pending);
    for (const int signal : {SIGTERM, SIGHUP}) {
      if (::sigismember(&pending, signal) == 1) return signal;
    }
    return SIGINT;
  }

 private:
  sigset_t before_{};
  Descriptor descriptor_;
};

struct CommandChild {
  char* const* arguments;
  char* const* environment;
  const char* folder;
  int in;
  int out;
  int err;
  int lifeline;
  int error;  // close-on-exec: the parent reads errno, or end of stream on success
  pid_t parent;
};

// Runs in a child: see start_child().
[[noreturn]] void exec_command(const CommandChild& child) {
  ::setpgid(0, 0);
  bind_to_lifeline(child.lifeline);
  ::fcntl(child.lifeline, F_SETFD, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != child.parent) ::_exit(127);  // the parent died before the request took effect
  struct sigaction defaults {};
  defaults.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &defaults, nullptr);
  ::sigaction(SIGXFSZ, &defaults, nullptr);
  if (::chdir(child.folder) == 0 && ::dup2(child.in, STDIN_FILENO) >= 0 &&
      ::dup2(child.out, STDOUT_FILENO) >= 0 && ::dup2(child.err, STDERR_FILENO) >= 0) {
    ::execvpe(child.arguments[0], child.arguments, child.environment);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(child.error, &error, sizeof error);
  ::_exit(127);
}

void kill_command(pid_t pid) {
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);  // in case it created its own group
}

// Lowest descriptor number to use: above 0 to 2, which the child replaces, and above numbers that
// scripts use.
constexpr int kLowest = 10;

std::vector<std::string> environment_of(const CommandOptions& options) {
  const auto name_of = [](std::string_view variable) {
    return variable.substr(0, variable.find('='));
  };
  std::vector<std::string> variables(options.set);
  for (char* const* each = ::environ; *each != nullptr; ++each) {
    const std::string_view name = name_of(*each);
    const auto is_same = [&](const std::string& other) { return name_of(other) == name; };
    if (std::ranges::find(options.unset, name) == options.unset.end() &&
        std::ranges::none_of(options.set, is_same)) {
      variables.emplace_back(*each);
    }
  }
  return variables;
}

std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (const std::string& text : texts) result.push_back(const_cast<char*>(text.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& argv, std::string_view input,
                          std::chrono::milliseconds time_limit, const CommandOptions& options) {
  CommandResult result;
  // A socket, so that writing to a program that does not read raises no SIGPIPE.
  SocketPair in = make_socket_pair();
  SocketPair lifeline = make_socket_pair();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  Pipe failure = make_pipe();
  for (Descriptor* each : {&in.theirs, &lifeline.theirs, &out.write, &err.write, &failure.write}) {
    *each = moved_up(std::move(*each), kLowest);
  }
  const std::vector<std::string> variables = environment_of(options);
  const std::vector<char*> arguments = pointers(argv);
  const std::vector<char*> environment = pointers(variables);
  const std::string folder = options.folder.empty() ? "." : options.folder.string();
  const CommandChild child{.arguments = arguments.data(),
                           .environment = environment.data(),
                           .folder = folder.c_str(),
                           .in = in.theirs.value(),
                           .out = out.write.value(),
                           .err = err.write.value(),
                           .lifeline = lifeline.theirs.value(),
                           .error = failure.write.value(),
                           .parent = ::getpid()};
  const BlockedSignals signals;
  const pid_t pid = start_child([&] { exec_command(child); });
  if (pid < 0) {
    result.reason = std::strerror(errno);
    return result;
  }
  ::setpgid(pid, pid);  // parent and child both set it, to avoid a race
  for (Descriptor* each : {&in.theirs, &lifeline.theirs, &out.write, &err.write, &failure.write}) {
    each->close();
  }
  if (input.empty()) in.ours.close();
  int error = 0;
  ssize_t count = 0;
  while ((count = ::read(failure.read.value(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  result.started = count != static_cast<ssize_t>(sizeof error);
  if (!result.started) result.reason = std::strerror(error);

  CapturedOutput captured_out{result.out, options.most_output};
  CapturedOutput captured_err{result.err, options.most_output};
  const auto is_flooded = [&] {
    return !options.drops_rest && (captured_out.flooded || captured_err.flooded);
  };
  const int signal = options.defers_signals ? -1 : signals.descriptor();
  const Descriptor death{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  const auto deadline = std::chrono::steady_clock::now() + time_limit;
  bool interrupted = false;
  for (bool alive = result.started; alive;) {
    std::array<pollfd, 5> waits{{{out.read.value(), POLLIN, 0},
                                 {err.read.value(), POLLIN, 0},
                                 {in.ours.value(), POLLOUT, 0},
                                 {signal, POLLIN, 0},
                                 {death.value(), POLLIN, 0}}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    result.timed_out = left.count() <= 0;
    if (!result.timed_out && ::poll(waits.data(), waits.size(),
                                    static_cast<int>(std::min<long>(left.count(), 60'000))) <= 0) {
      continue;
    }
    interrupted = waits[3].revents != 0;
    alive = !result.timed_out && !interrupted && !is_flooded() && waits[4].revents == 0;
    if (waits[0].revents != 0 && !take(out.read, captured_out)) out.read.close();
    if (waits[1].revents != 0 && !take(err.read, captured_err)) err.read.close();
    if (waits[2].revents != 0 && !give(in.ours, input)) in.ours.close();
  }
  kill_command(pid);  // and any group members that hold the pipes
  if (!result.timed_out && !interrupted) {
    drain(out.read, captured_out);
    drain(err.read, captured_err);
  }
  result.flooded = is_flooded();
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (interrupted) throw Interrupted(BlockedSignals::pending());
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

const std::vector<std::string>& variables_of_git() {
  static const std::vector<std::string> names = {"GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                                 "GIT_COMMON_DIR",
                                                 "GIT_CONFIG",
                                                 "GIT_CONFIG_COUNT",
                                                 "GIT_CONFIG_PARAMETERS",
                                                 "GIT_DIR",
                                                 "GIT_GRAFT_FILE",
                                                 "GIT_IMPLICIT_WORK_TREE",
                                                 "GIT_INDEX_FILE",
                                                 "GIT_INTERNAL_SUPER_PREFIX",
                                                 "GIT_NO_REPLACE_OBJECTS",
                                                 "GIT_OBJECT_DIRECTORY",
                                                 "GIT_PREFIX",
                                                 "GIT_REPLACE_REF_BASE",
                                                 "GIT_SHALLOW_FILE",
                                                 "GIT_WORK_TREE"};
  return names;
}

CommandResult run_git(const std::filesystem::path& folder, std::vector<std::string> arguments,
                      std::chrono::milliseconds time_limit, bool defers_signals) {
  arguments.insert(arguments.begin(), {"git", "--no-optional-locks", "-c", "color.ui=false", "-c",
                                       "i18n.logOutputEncoding=UTF-8", "-c",
                                       "log.showSignature=false", "-C", folder.string()});
  return run_command(arguments, "", time_limit,
                     {.unset = variables_of_git(), .defers_signals = defers_signals});
}

int wait_status(const siginfo_t& info) {
  return info.si_code == CLD_EXITED ? W_EXITCODE(info.si_status, 0) : W_EXITCODE(0, info.si_status);
}

std::string signal_text(int signal) {
  const char* name = ::sigabbrev_np(signal);
  const char* description = ::sigdescr_np(signal);
  if (name == nullptr || description == nullptr) return formatted("signal {}", signal);
  return formatted("SIG{} ({})", name, description);
}

namespace {

std::string limit_aside(const ProcessExit& exit) {
  if (!exit.memory_limit_bytes) return {};
  return formatted(" (the limit of its control group is {} MiB)", *exit.memory_limit_bytes >> 20);
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
                         : formatted("exited with status {}", WEXITSTATUS(exit.status));
  if (WIFSIGNALED(exit.status) && WTERMSIG(exit.status) == SIGBUS) {
    text += " (a mapped file was changed or truncated while it was read, or /dev/shm is full)";
  }
  if (exit.oom_killed) text += " after " + oom_text(exit);
  return text;
}

namespace {

std::int64_t to_ns(const timeval& time) {
  return (std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec) * 1000;
}

Usage usage_of_kind(int who) {
  rusage now{};
  ::getrusage(who, &now);
  return {to_ns(now.ru_utime), to_ns(now.ru_stime), now.ru_minflt,
          now.ru_majflt,       now.ru_nvcsw,        now.ru_nivcsw};
}

}  // namespace

Usage& Usage::operator+=(const Usage& other) {
  user_ns += other.user_ns;
  system_ns += other.system_ns;
  minor_faults += other.minor_faults;
  major_faults += other.major_faults;
  voluntary_switches += other.voluntary_switches;
  involuntary_switches += other.involuntary_switches;
  return *this;
}

Usage operator-(Usage a, const Usage& b) {
  a.user_ns -= b.user_ns;
  a.system_ns -= b.system_ns;
  a.minor_faults -= b.minor_faults;
  a.major_faults -= b.major_faults;
  a.voluntary_switches -= b.voluntary_switches;
  a.involuntary_switches -= b.involuntary_switches;
  return a;
}

Usage current_usage() { return usage_of_kind(RUSAGE_SELF); }

Usage usage_of_ended_children() { return usage_of_kind(RUSAGE_CHILDREN); }

Usage usage_of(pid_t process) {
  // Indices of fields in /proc/N/stat after the name, counted from the state (proc_pid_stat(5)
  // minus 3).
  constexpr std::size_t kMinorFaults = 7;
  constexpr std::size_t kMajorFaults = 9;
  constexpr std::size_t kUserTicks = 11;
  constexpr std::size_t kSystemTicks = 12;
  const std::filesystem::path folder = std::filesystem::path("/proc") / std::to_string(process);
  const std::string stat = read_text(folder / "stat").value_or("");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  const auto words = split_words(std::string_view(stat).substr(name_end + 1));
  if (words.size() <= kSystemTicks) return {};
  const auto number = [&](std::size_t word) { return parse_integer(words[word]).value_or(0); };
  const std::string status = read_text(folder / "status").value_or("");
  const auto switches = [&](std::string_view name) {
    return parse_integer(find_field(status, name).value_or("")).value_or(0);
  };
  const std::int64_t tick_ns = 1'000'000'000 / ::sysconf(_SC_CLK_TCK);
  return {.user_ns = number(kUserTicks) * tick_ns,
          .system_ns = number(kSystemTicks) * tick_ns,
          .minor_faults = number(kMinorFaults),
          .major_faults = number(kMajorFaults),
          .voluntary_switches = switches("voluntary_ctxt_switches"),
          .involuntary_switches = switches("nonvoluntary_ctxt_switches")};
}

// Not ru_maxrss: it survives exec and would report the parent's size.
std::int64_t peak_rss_bytes() {
  const std::string status = read_text("/proc/self/status").value_or("");
  return parse_integer(find_field(status, "VmHWM").value_or("")).value_or(0) * 1024;
}

std::optional<std::int64_t> held_bytes() {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const auto free = static_cast<std::int64_t>(::mallinfo2().fordblks);
  const std::string status = read_text("/proc/self/status").value_or("");
  std::int64_t kib = 0;
  for (const std::string_view field : {"RssAnon", "RssShmem"}) {
    const auto value = parse_integer(find_field(status, field).value_or(""));
    if (!value) return std::nullopt;
    kib += *value;
  }
  return kib * 1024 - free;
#else
  return std::nullopt;
#endif
}

}  // namespace stepbench::os
