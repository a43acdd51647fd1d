// SPDX-License-Identifier: Apache-2.0
// Where a server or the ranks of a test meet.
#pragma once

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>

#include "harness/os/descriptor.h"

namespace stepbench::test {

// A loopback port that is currently free.
inline std::uint16_t reserve_port() {
  const os::Descriptor socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* any = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(socket.value(), any, size), 0);
  EXPECT_EQ(::getsockname(socket.value(), any, &size), 0);
  return ntohs(address.sin_port);
}

}  // namespace stepbench::test
