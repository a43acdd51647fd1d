// SPDX-License-Identifier: Apache-2.0
// How ranks find their controller, and their messages to it.
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "harness/base/error.h"
#include "harness/run/internal/address.h"
#include "harness/run/internal/group_lines.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

using namespace std::chrono_literals;

std::string welcome(int) { return {}; }

TEST(Address, UnwantedPeer_IsLeftForTheNext) {
  const RankListener listener = listen_for_ranks("lo", false);
  int met = 0;
  const std::string port = std::to_string(listener.port);
  const os::Descriptor one = connect_to("127.0.0.1,127.0.0.1:" + port, 10s, [&](int) {
    return std::string(++met == 1 ? "does not know the token" : "");
  });
  EXPECT_EQ(met, 2);
  EXPECT_THAT(
      [&] {
        static_cast<void>(
            connect_to("127.0.0.1:" + port, 10s, [](int) { return std::string("says nothing"); }));
      },
      ThrowsMessage<Error>(HasSubstr("127.0.0.1 (says nothing)")));
}

TEST(Address, ContainerBridge_IsNoNetwork) {
  const test::TemporaryFolder temporary;
  const fs::path& root = temporary.path();
  const fs::path net = root / "sys/class/net";
  for (const char* folder : {"docker0/bridge", "docker0/brif/veth1", "veth1", "br0/bridge",
                             "br0/brif/eth0", "eth0/device", "eth1/device"}) {
    fs::create_directories(net / folder);
  }
  EXPECT_TRUE(is_inner_bridge(root, "docker0"));
  EXPECT_FALSE(is_inner_bridge(root, "br0")) << "a network card is one of its ports";
  EXPECT_FALSE(is_inner_bridge(root, "eth1"));
  EXPECT_FALSE(is_inner_bridge(root, "none"));
}

TEST(Address, LocalRanks_UseTheLoopback) {
  const RankListener listener = listen_for_ranks("auto", false);
  EXPECT_THAT(listener.addresses, ElementsAre("127.0.0.1"));
  const os::Descriptor one = connect_to(to_text(listener), 10s, welcome);
  pollfd waits{listener.sockets.front().value(), POLLIN, 0};
  ASSERT_EQ(::poll(&waits, 1, 10000), 1);
  EXPECT_EQ(own_address(one.value()), "127.0.0.1");
  EXPECT_EQ(peer_address(one.value()), "127.0.0.1");
}

TEST(Address, EachAddress_IsTriedInTurn) {
  const RankListener listener = listen_for_ranks("lo", false);
  const os::Descriptor one =
      connect_to("127.0.0.9,127.0.0.1:" + std::to_string(listener.port), 10s, welcome);
  EXPECT_TRUE(one.is_open());
}

TEST(Address, PortTakenElsewhere_IsNotChosen) {
  constexpr int kTaken = 500;
  std::vector<RankListener> taken;
  for (int i = 0; i < kTaken; ++i) taken.push_back(listen_at({"127.0.0.2"}));
  for (int i = 0; i < kTaken; ++i) {  // a port that is free at the first address only comes often
    EXPECT_THAT(listen_at({"127.0.0.1", "127.0.0.2"}).addresses, SizeIs(2));
  }
}

TEST(Address, NoListener_NamesAllAddresses) {
  const ReservedPort kept = reserve_port();  // nobody else listens on it
  const std::string port = std::to_string(kept.number);
  EXPECT_THAT([&] { static_cast<void>(connect_to("127.0.0.1,127.0.0.2:" + port, 10s, welcome)); },
              ThrowsMessage<Error>(AllOf(HasSubstr("cannot reach the controller at port " + port),
                                         HasSubstr("127.0.0.2 (Connection refused)"))));
}

// Like torch's store, which listens some seconds after the port was chosen.
bool can_listen(int port, bool reuse) {
  const os::Descriptor socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = reuse ? 1 : 0;
  ::setsockopt(socket.value(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in any{};
  any.sin_family = AF_INET;
  any.sin_port = htons(static_cast<std::uint16_t>(port));
  return ::bind(socket.value(), reinterpret_cast<const sockaddr*>(&any), sizeof any) == 0 &&
         ::listen(socket.value(), 1) == 0;
}

TEST(ReservedPort, OtherGroup_HasAnotherPort) {
  const ReservedPort one = reserve_port();
  ASSERT_GT(one.number, 0);
  std::vector<ReservedPort> others;
  for (int i = 0; i < 200; ++i) {
    others.push_back(reserve_port());
    EXPECT_NE(others.back().number, one.number);
  }
  EXPECT_FALSE(can_listen(one.number, false)) << "who shares no port";
  EXPECT_TRUE(can_listen(one.number, true)) << "the group's own store";
}

TEST(Address, InvalidAddress_IsRejected) {
  for (const char* none : {"", "127.0.0.1", "127.0.0.1:0", "somewhere:80"}) {
    EXPECT_THROW(static_cast<void>(connect_to(none, 10s, welcome)), Error) << none;
  }
  EXPECT_THAT([] { static_cast<void>(listen_for_ranks("ib7", true)); },
              ThrowsMessage<ConfigError>(
                  AllOf(HasSubstr("'ib7' is not an interface or address of this machine"),
                        HasSubstr("lo (127.0.0.1)"))));
}

TEST(Address, LoopbackHostName_SetsGlooInterface) {
  const std::string address = listen_for_ranks("auto", true).addresses.front();
  const bool is_alone = address == kLoopback;  // this machine has no other interface
  EXPECT_EQ(gloo_interface(address, "localhost").empty(), is_alone);
}

TEST(Address, ReachableHostName_LeavesGlooAlone) {
  EXPECT_EQ(gloo_interface("127.0.0.1", "localhost"), "");
  EXPECT_EQ(gloo_interface("192.0.2.7", "localhost"), "") << "an address of another machine";
  const std::string address = listen_for_ranks("auto", true).addresses.front();
  EXPECT_EQ(gloo_interface(address, "192.0.2.7"), "") << "the host's name has an address";
}

TEST(Token, EachToken_IsRandom) {
  EXPECT_EQ(make_token().size(), 32);
  EXPECT_NE(make_token(), make_token());
}

TEST(GroupLines, Join_RoundTrips) {
  const RankJoin said{.token = "0f",
                      .version = "abc",
                      .place = {.rank = 3, .world = 4, .local_rank = 1, .local_world = 2},
                      .host = "n\"1",
                      .pid = 17,
                      .address = "10.0.0.2",
                      .port = 4711,
                      .cpus = "0-3",
                      .threads = "1",
                      .devices = "0,1"};
  const RankJoin heard = decode_join(encode(said));
  EXPECT_EQ(encode(heard), encode(said));
  EXPECT_EQ(heard.place.rank, 3);
  EXPECT_EQ(heard.host, "n\"1");
}

TEST(GroupLines, Begin_KeepsOrderAndBlanks) {
  const RankBegin heard = decode_begin(encode(RankBegin{.argv = {"python3", "-c", "print(1)\n", ""},
                                                        .folder = "/tmp/a b",
                                                        .set = {{"A", "1=2"}, {"B", ""}},
                                                        .unset = {"C"}}));
  EXPECT_THAT(heard.argv, ElementsAre("python3", "-c", "print(1)\n", ""));
  EXPECT_EQ(heard.folder, "/tmp/a b");
  EXPECT_THAT(heard.set, ElementsAre(Pair("A", "1=2"), Pair("B", "")));
  EXPECT_THAT(heard.unset, ElementsAre("C"));
}

TEST(GroupLines, Exit_KeepsItsOutput) {
  const RankExit heard = decode_exit(
      encode(RankExit{.status = 9, .cut = true, .signalled = 15, .output = "two\nlines\n"}));
  EXPECT_EQ(heard.status, 9);
  EXPECT_TRUE(heard.cut);
  EXPECT_EQ(heard.output, "two\nlines\n");
}

TEST(GroupLines, InvalidLine_IsRejected) {
  for (const char* line : {"", "!", "{\"kind\":\"join\"}", "!{}", "![1]", "!{\"kind\":\"exit\"}",
                           "!{\"kind\":\"join\",\"rank\":-1}",
                           "!{\"kind\":\"join\",\"rank\":\"x\"}", "GET / HTTP/1.1"}) {
    EXPECT_THROW(static_cast<void>(decode_join(line)), Error) << line;
  }
}

}  // namespace
}  // namespace stepbench::run
