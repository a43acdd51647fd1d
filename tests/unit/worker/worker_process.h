// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <string>
#include <variant>
#include <vector>

#include "harness/protocol/channel.h"
#include "harness/protocol/messages.h"

namespace stepbench::worker {

// A worker program on a socket, given one case. Killed and reaped at the end of the test.
class WorkerProcess {
 public:
  WorkerProcess(std::vector<std::string> command, const protocol::CaseMessage& message) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    socket_ = ends[0];
    command.emplace_back("--control-fd=3");
    std::vector<char*> argv;
    for (std::string& argument : command) argv.push_back(argument.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ == 0) {
      if (ends[1] == 3) {
        ::fcntl(3, F_SETFD, 0);
      } else {
        ::dup2(ends[1], 3);
      }
      ::close(STDOUT_FILENO);
      ::close(STDERR_FILENO);
      ::execv(argv.front(), argv.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    EXPECT_TRUE(protocol::write_line(socket_, protocol::encode(message)));
  }
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;
  ~WorkerProcess() {
    ::kill(pid_, SIGKILL);
    if (!reaped_) ::waitpid(pid_, nullptr, 0);
    ::close(socket_);
  }

  [[nodiscard]] int socket() const { return socket_; }
  // All messages until the worker closes its end. Throws Error on a bad line.
  [[nodiscard]] std::vector<protocol::WorkerMessage> listen() const {
    protocol::LineReader reader(socket_);
    std::vector<protocol::WorkerMessage> out;
    while (const auto line = reader.next()) out.push_back(protocol::decode_worker(*line));
    return out;
  }
  int wait() {
    int status = 0;
    ::waitpid(pid_, &status, 0);
    reaped_ = true;
    return status;
  }

 private:
  int socket_ = -1;
  pid_t pid_ = -1;
  bool reaped_ = false;
};

template <typename T>
[[nodiscard]] std::vector<T> all_of(const std::vector<protocol::WorkerMessage>& messages) {
  std::vector<T> out;
  for (const protocol::WorkerMessage& message : messages) {
    if (const T* typed = std::get_if<T>(&message)) out.push_back(*typed);
  }
  return out;
}

}  // namespace stepbench::worker
