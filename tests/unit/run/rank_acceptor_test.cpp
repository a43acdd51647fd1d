// SPDX-License-Identifier: Apache-2.0
// Which connections of ranks are accepted and which are refused.
#include "harness/run/internal/group_ranks.h"

#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>

#include "harness/run/internal/group_lines.h"
#include "tests/testing.h"

namespace stepbench::run {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t kSecondNs = 1'000'000'000;

class RankAcceptorTest : public ::testing::Test {
 protected:
  os::Descriptor connect() {
    return run::connect_to(rank_acceptor_.address(), 10s, [](int) { return std::string(); });
  }
  // Handles all pending events at this time.
  void turn(std::int64_t at_ns = 0) {
    for (int i = 0; i < 20; ++i) {
      std::vector<pollfd> waits;
      rank_acceptor_.wait_for(waits, at_ns);
      ::poll(waits.data(), waits.size(), 5);
      rank_acceptor_.receive(waits, at_ns, visitors_);
    }
  }
  static void send_line(const os::Descriptor& to, const std::string& line) {
    EXPECT_TRUE(protocol::write_line(to.value(), line));
  }
  static std::string hear(const os::Descriptor& from) {
    std::array<char, 4096> buffer{};
    const ssize_t count = ::recv(from.value(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    return count > 0 ? std::string(buffer.data(), static_cast<std::size_t>(count) - 1) : "";
  }
  // Joins as a rank with this token, which called the controller at this address.
  os::Descriptor join(const std::string& token, const std::string& address = "127.0.0.1") {
    const std::string challenge = "0f";
    os::Descriptor rank = connect();
    send_line(rank, run::encode(run::RankHello{challenge}));
    turn();
    const run::ControllerChallenge theirs = run::decode_challenge(hear(rank));
    EXPECT_EQ(theirs.proof, run::proof(rank_acceptor_.token(), run::kController, challenge,
                                       theirs.challenge + "127.0.0.1"));
    said_ = run::encode(
        run::RankJoin{.proof = run::proof(token, run::kRank, challenge, theirs.challenge + address),
                      .version = "v"});
    send_line(rank, said_);
    turn();
    return rank;
  }

  static constexpr int kRanks = 2;
  RankAcceptor rank_acceptor_{"auto", false, kRanks};
  std::vector<std::string> joined_;  // versions
  std::map<std::string, int> refused_;
  std::string said_;  // received by the last rank that joined
  RankAcceptor::Callbacks visitors_{
      .join = [this](const auto& join, os::Descriptor) { joined_.push_back(join.version); },
      .refused = [this](const std::string& what) { ++refused_[what]; }};
};

TEST_F(RankAcceptorTest, KnownToken_Joins) {
  const os::Descriptor rank = join(rank_acceptor_.token());
  EXPECT_THAT(joined_, ElementsAre("v"));
  EXPECT_EQ(said_.find(rank_acceptor_.token()), std::string::npos) << "it never travels";
  EXPECT_TRUE(refused_.empty());
}

TEST_F(RankAcceptorTest, GuessedToken_IsRefused) {
  const os::Descriptor rank = join("guess");
  EXPECT_TRUE(joined_.empty());
  EXPECT_THAT(refused_, ElementsAre(Pair("a connection that is not a rank of this group", 1)));
}

// The rank called another host, which passed its words on.
TEST_F(RankAcceptorTest, ProofOfAnotherAddress_IsRefused) {
  const os::Descriptor rank = join(rank_acceptor_.token(), "10.0.0.1");
  EXPECT_TRUE(joined_.empty());
}

TEST_F(RankAcceptorTest, HalfHandshake_IsNotSilent) {
  const os::Descriptor rank = connect();
  send_line(rank, run::encode(run::RankHello{"0f"}));
  turn();
  turn(6 * kSecondNs);
  EXPECT_THAT(refused_, ElementsAre(Pair("a connection that is not a rank of this group", 1)));
}

TEST_F(RankAcceptorTest, ReplayedProof_IsRefused) {
  const os::Descriptor rank = join(rank_acceptor_.token());
  const os::Descriptor other = connect();
  send_line(other, run::encode(run::RankHello{"0f"}));
  turn();
  send_line(other, said_);
  turn();
  EXPECT_EQ(joined_.size(), 1U);
  EXPECT_EQ(refused_.size(), 1U);
}

// It sends the token itself; its version is checked after the join.
TEST_F(RankAcceptorTest, OlderAgent_ReachesTheVersionCheck) {
  const os::Descriptor rank = connect();
  send_line(rank, run::encode(run::RankJoin{.token = rank_acceptor_.token(), .version = "old"}));
  turn();
  EXPECT_THAT(joined_, ElementsAre("old"));
}

TEST_F(RankAcceptorTest, SilentPeer_IsClosedAndCounted) {
  std::vector<os::Descriptor> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(connect());
  turn();
  EXPECT_THAT(refused_, ElementsAre(Pair("a connection that sent nothing", 300 - 256 - kRanks)));
  const os::Descriptor rank = join(rank_acceptor_.token());
  EXPECT_THAT(joined_, ElementsAre("v")) << "though so many stand before it";
  turn(6 * kSecondNs);
  EXPECT_EQ(refused_.at("a connection that sent nothing"), 300);
  std::vector<pollfd> waits;
  rank_acceptor_.wait_for(waits, 0);
  EXPECT_EQ(waits.size(), 1U);
}

TEST_F(RankAcceptorTest, Handshake_OutlivesSilentPeers) {
  std::vector<os::Descriptor> ranks;
  for (int i = 0; i < kRanks; ++i) {
    ranks.push_back(connect());
    send_line(ranks.back(), run::encode(run::RankHello{"0f"}));
  }
  turn();
  std::vector<os::Descriptor> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(connect());
  turn();
  EXPECT_THAT(refused_, ElementsAre(Pair("a connection that sent nothing", 300 - 256)));
}

// Polling a listener that cannot accept would take a whole CPU.
TEST_F(RankAcceptorTest, OutOfDescriptors_PausesListening) {
  const os::Descriptor silent = connect();
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
  const rlimit full{static_cast<rlim_t>(::dup(silent.value())), limit.rlim_max};
  ::close(static_cast<int>(full.rlim_cur));  // the lowest free one
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &full), 0);
  turn();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
  std::vector<pollfd> waits;
  rank_acceptor_.wait_for(waits, kSecondNs / 10);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].fd, -1);
  turn(kSecondNs);
  waits.clear();
  rank_acceptor_.wait_for(waits, kSecondNs);
  EXPECT_EQ(waits.size(), 2U) << "later it is let in";
}

}  // namespace
}  // namespace stepbench::run
