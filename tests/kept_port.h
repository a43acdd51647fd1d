// SPDX-License-Identifier: Apache-2.0
// The port at which a server or the ranks of a test meet.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include "harness/os/descriptor.h"
#include "tests/testing.h"

namespace stepbench::test {

// A port of the loopback. While the object lives the kernel gives it to nobody else; a server that
// sets SO_REUSEADDR, as PostgreSQL and torch's store do, can listen on it.
class KeptPort {
 public:
  KeptPort() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* any = reinterpret_cast<sockaddr*>(&address);
    const int on = 1;
    EXPECT_EQ(::bind(socket_.value(), any, size), 0);
    // Not before bind(): the kernel might give out a port that is kept.
    EXPECT_EQ(::setsockopt(socket_.value(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    EXPECT_EQ(::getsockname(socket_.value(), any, &size), 0);
    number_ = ntohs(address.sin_port);
  }
  [[nodiscard]] std::uint16_t number() const { return number_; }

 private:
  os::Descriptor socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  std::uint16_t number_ = 0;
};

}  // namespace stepbench::test
