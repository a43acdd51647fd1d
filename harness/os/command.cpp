// SPDX-License-Identifier: Apache-2.0
#include "harness/os/command.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "harness/base/error.h"
#include "harness/os/descriptor.h"

extern char** environ;  // NOLINT: POSIX

namespace stepbench {
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

bool give(const Descriptor& to, std::string_view& input) {
  const ssize_t count = ::send(to.value(), input.data(), input.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  input.remove_prefix(static_cast<std::size_t>(count));
  return !input.empty();
}

}  // namespace

CommandResult run_command(const std::vector<std::string>& argv, std::string_view input,
                          std::chrono::milliseconds time_limit) {
  CommandResult result;
  Pipe in = make_input();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read.value(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write.value(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write.value(), STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  sigset_t defaults;
  sigemptyset(&defaults);
  sigaddset(&defaults, SIGPIPE);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  std::vector<char*> arguments;
  arguments.reserve(argv.size() + 1);
  for (const std::string& argument : argv) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      ::posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (error != 0) {
    result.reason = std::strerror(error);
    return result;
  }
  result.started = true;
  in.read.close();
  out.write.close();
  err.write.close();
  if (input.empty()) in.write.close();

  const auto deadline = std::chrono::steady_clock::now() + time_limit;
  while (out.read.is_open() || err.read.is_open()) {
    std::array<pollfd, 3> waits{{{out.read.value(), POLLIN, 0},
                                 {err.read.value(), POLLIN, 0},
                                 {in.write.value(), POLLOUT, 0}}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        deadline - std::chrono::steady_clock::now());
    if (left.count() <= 0) {
      result.timed_out = true;
      ::kill(pid, SIGKILL);
      break;
    }
    if (::poll(waits.data(), waits.size(),
               static_cast<int>(std::min<long>(left.count(), 60'000))) <= 0)
      continue;
    if (waits[0].revents != 0 && !take(out.read, result.out)) out.read.close();
    if (waits[1].revents != 0 && !take(err.read, result.err)) err.read.close();
    if (waits[2].revents != 0 && !give(in.write, input)) in.write.close();
  }
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  result.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

}  // namespace stepbench
