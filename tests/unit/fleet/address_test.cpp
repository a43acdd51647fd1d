// SPDX-License-Identifier: Apache-2.0
#include "harness/fleet/address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>

#include "harness/base/error.h"

namespace stepbench::fleet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using namespace std::chrono_literals;

TEST(Address, RanksOfThisMachineComeOverTheLoopback) {
  const RankListener listener = listen_for_ranks("auto", false);
  EXPECT_THAT(listener.addresses, ElementsAre("127.0.0.1"));
  const os::Descriptor one = connect_to(to_text(listener), 10s);
  pollfd waits{listener.socket.value(), POLLIN, 0};
  ASSERT_EQ(::poll(&waits, 1, 10000), 1);
  EXPECT_EQ(own_address(one.value()), "127.0.0.1");
}

TEST(Address, EachAddressIsTriedInItsTurn) {
  const RankListener listener = listen_for_ranks("lo", false);
  const os::Descriptor one =
      connect_to("127.0.0.9,127.0.0.1:" + std::to_string(listener.port), 10s);
  EXPECT_TRUE(one.is_open());
}

TEST(Address, WhereNobodyListensIsSaidOfAll) {
  const std::string port = std::to_string(free_port());
  try {
    static_cast<void>(connect_to("127.0.0.1,127.0.0.2:" + port, 10s));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("cannot reach the controller at port " + port));
    EXPECT_THAT(error.what(), HasSubstr("127.0.0.2 (Connection refused)"));
  }
}

TEST(Address, WhatIsNoneIsRefused) {
  EXPECT_THROW(static_cast<void>(connect_to("", 1s)), Error);
  EXPECT_THROW(static_cast<void>(connect_to("127.0.0.1", 1s)), Error);
  EXPECT_THROW(static_cast<void>(connect_to("127.0.0.1:0", 1s)), Error);
  EXPECT_THROW(static_cast<void>(connect_to("somewhere:80", 1s)), Error);
}

TEST(Address, GlooIsToldOfTheInterfaceWhereTheHostsNameIsALoopback) {
  const std::string address = listen_for_ranks("auto", true).addresses.front();
  const bool is_alone = address == kLoopback;  // this machine has no other interface
  EXPECT_EQ(gloo_interface(address, "localhost").empty(), is_alone);
}

TEST(Address, GlooIsToldNothingWhereItFindsTheOthersByItself) {
  EXPECT_EQ(gloo_interface("127.0.0.1", "localhost"), "");
  EXPECT_EQ(gloo_interface("192.0.2.7", "localhost"), "") << "an address of another machine";
  const std::string address = listen_for_ranks("auto", true).addresses.front();
  EXPECT_EQ(gloo_interface(address, "192.0.2.7"), "") << "the host's name has an address";
}

TEST(Address, AnInterfaceThatIsNotThereIsRefusedWithThoseThatAre) {
  try {
    static_cast<void>(listen_for_ranks("ib7", true));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("'ib7' is no interface or address of this machine"));
    EXPECT_THAT(error.what(), HasSubstr("lo (127.0.0.1)"));
  }
}

TEST(Token, HasBitsOfItsOwn) {
  EXPECT_EQ(make_token().size(), 32);
  EXPECT_NE(make_token(), make_token());
}

}  // namespace
}  // namespace stepbench::fleet
