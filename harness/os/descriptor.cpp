// SPDX-License-Identifier: Apache-2.0
#include "harness/os/descriptor.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

#include "harness/base/error.h"

namespace stepbench::os {
namespace {

void require(bool done, const char* what) {
  if (!done) throw Error(std::string(what) + ": " + std::strerror(errno));
}

}  // namespace

Pipe make_pipe() {
  std::array<int, 2> ends{};
  require(::pipe2(ends.data(), O_CLOEXEC) == 0, "cannot make a pipe");
  return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}

SocketPair make_socket_pair() {
  std::array<int, 2> ends{};
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0,
          "cannot make a socket");
  return {Descriptor{ends[0]}, Descriptor{ends[1]}};
}

Descriptor moved_up(Descriptor descriptor, int lowest) {
  const int high = ::fcntl(descriptor.value(), F_DUPFD_CLOEXEC, lowest);
  require(high >= 0, "cannot duplicate a descriptor");
  return Descriptor{high};
}

void bind_to_lifeline(int lifeline) {
  ::fcntl(lifeline, F_SETOWN, -::getpid());
  ::fcntl(lifeline, F_SETSIG, SIGKILL);
  ::fcntl(lifeline, F_SETFL, O_ASYNC | O_NONBLOCK);
}

std::string_view read_some(Descriptor& from, std::span<char> buffer) {
  ssize_t count = 0;
  do {
    count = ::read(from.value(), buffer.data(), buffer.size());
  } while (count < 0 && errno == EINTR);
  if (count > 0) return {buffer.data(), static_cast<std::size_t>(count)};
  if (count == 0 || errno != EAGAIN) from.close();
  return {};
}

}  // namespace stepbench::os
