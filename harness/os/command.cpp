// SPDX-License-Identifier: Apache-2.0
#include "harness/os/command.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "harness/base/error.h"
#include "harness/os/child.h"
#include "harness/os/descriptor.h"

namespace stepbench::os {
namespace {

constexpr std::size_t kMaxOutputBytes = std::size_t{64} << 20;

struct Pipe {
  Descriptor read;
  Descriptor write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(std::string{"pipe: "} + std::strerror(errno));
  return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}

// A socket, so that a program that does not read raises no SIGPIPE here.
Pipe make_input() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw Error(std::string{"socketpair: "} + std::strerror(errno));
  }
  return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}

// False at the end of the stream.
bool take(const Descriptor& from, std::string& into) {
  std::array<char, 16384> buffer;
  const ssize_t count = ::read(from.value(), buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  if (into.size() < kMaxOutputBytes) into.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

// What lies in a pipe whose writer is dead. A process that left its group may hold it open, and
// write on: no more than what is there now.
void drain(const Descriptor& from, std::string& into) {
  int bytes = 0;
  if (!from.is_open() || ::ioctl(from.value(), FIONREAD, &bytes) != 0) return;
  for (const std::size_t end = into.size() + static_cast<std::size_t>(bytes);
       into.size() < end && into.size() < kMaxOutputBytes;) {
    if (!take(from, into)) return;
  }
}

bool give(const Descriptor& to, std::string_view& input) {
  const ssize_t count = ::send(to.value(), input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  input.remove_prefix(static_cast<std::size_t>(count));
  return !input.empty();
}

// SIGINT, SIGTERM and SIGHUP wait while this lives, those that are not ignored.
class HeldSignals {
 public:
  HeldSignals() {
    sigset_t held;
    sigemptyset(&held);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
      struct sigaction action {};
      const bool ignored =
          ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
      if (!ignored) sigaddset(&held, signal);
    }
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
    descriptor_ = Descriptor{::signalfd(-1, &held, SFD_NONBLOCK | SFD_CLOEXEC)};
  }
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;
  ~HeldSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

  // Readable when one is pending; never read, so that it stays so.
  [[nodiscard]] int descriptor() const { return descriptor_.value(); }

 private:
  sigset_t before_{};
  Descriptor descriptor_;
};

struct CommandChild {
  char* const* arguments;
  int in;
  int out;
  int err;
  int error;  // close-on-exec: the parent reads errno from it, or the end of the stream
  pid_t parent;
};

[[noreturn]] void become_command(const CommandChild& child) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != child.parent) ::_exit(127);  // it died before the request took effect
  struct sigaction defaults {};
  defaults.sa_handler = SIG_DFL;
  ::sigaction(SIGPIPE, &defaults, nullptr);
  ::sigaction(SIGXFSZ, &defaults, nullptr);
  if (::dup2(child.in, STDIN_FILENO) >= 0 && ::dup2(child.out, STDOUT_FILENO) >= 0 &&
      ::dup2(child.err, STDERR_FILENO) >= 0) {
    ::execvp(child.arguments[0], child.arguments);
  }
  const int error = errno;
  [[maybe_unused]] const ssize_t ignored = ::write(child.error, &error, sizeof error);
  ::_exit(127);
}

void kill_command(pid_t pid) {
  ::kill(-pid, SIGKILL);
  ::kill(pid, SIGKILL);  // in case it made a group of its own
}

// Above 0 to 2, which the child's own take the place of.
Descriptor above_standard(Descriptor descriptor) {
  return Descriptor{::fcntl(descriptor.value(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1)};
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& argv, std::string_view input,
                          std::chrono::milliseconds time_limit) {
  CommandResult result;
  Pipe in = make_input();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  Pipe failure = make_pipe();
  for (Descriptor* each : {&in.read, &out.write, &err.write, &failure.write}) {
    *each = above_standard(std::move(*each));
  }
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  const CommandChild child{.arguments = arguments.data(),
                           .in = in.read.value(),
                           .out = out.write.value(),
                           .err = err.write.value(),
                           .error = failure.write.value(),
                           .parent = ::getpid()};
  const HeldSignals signals;
  const pid_t pid = start_child([&] { become_command(child); });
  if (pid < 0) {
    result.reason = std::strerror(errno);
    return result;
  }
  ::setpgid(pid, pid);  // whichever of the two comes first
  failure.write.close();
  in.read.close();
  out.write.close();
  err.write.close();
  if (input.empty()) in.write.close();
  int error = 0;
  ssize_t count = 0;
  while ((count = ::read(failure.read.value(), &error, sizeof error)) < 0 && errno == EINTR) {
  }
  result.started = count != static_cast<ssize_t>(sizeof error);
  if (!result.started) result.reason = std::strerror(error);

  const Descriptor death{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
  const auto deadline = std::chrono::steady_clock::now() + time_limit;
  for (bool alive = result.started; alive;) {
    std::array<pollfd, 5> waits{{{out.read.value(), POLLIN, 0},
                                 {err.read.value(), POLLIN, 0},
                                 {in.write.value(), POLLOUT, 0},
                                 {signals.descriptor(), POLLIN, 0},
                                 {death.value(), POLLIN, 0}}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    result.timed_out = left.count() <= 0;
    if (!result.timed_out && ::poll(waits.data(), waits.size(),
                                    static_cast<int>(std::min<long>(left.count(), 60'000))) <= 0) {
      continue;
    }
    result.interrupted = waits[3].revents != 0;
    alive = !result.timed_out && !result.interrupted && waits[4].revents == 0;
    if (waits[0].revents != 0 && !take(out.read, result.out)) out.read.close();
    if (waits[1].revents != 0 && !take(err.read, result.err)) err.read.close();
    if (waits[2].revents != 0 && !give(in.write, input)) in.write.close();
  }
  kill_command(pid);  // and whatever of its group holds the pipes
  if (!result.timed_out && !result.interrupted) {
    drain(out.read, result.out);
    drain(err.read, result.err);
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace stepbench::os
