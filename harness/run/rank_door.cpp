// SPDX-License-Identifier: Apache-2.0
#include "harness/run/rank_door.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/fleet/proof.h"

namespace stepbench::run {
namespace {

constexpr std::size_t kMaxJoinBytes = std::size_t{64} << 10;
constexpr std::int64_t kPatienceNs = 5'000'000'000;  // time for a connection to authenticate
constexpr std::size_t kMostVisitors = 256;           // the oldest is dropped for a new one
constexpr std::int64_t kFullNs = 200'000'000;        // retry interval when out of descriptors
constexpr const char* kStranger = "a connection that is not a rank of this group";

}  // namespace

void RankDoor::wait_for(std::vector<pollfd>& waits, std::int64_t now_ns) const {
  for (const os::Descriptor& each : listener_.sockets) {
    waits.push_back({now_ns < full_until_ns_ ? -1 : each.value(), POLLIN, 0});
  }
  for (const Visitor& each : visitors_) waits.push_back({each.socket.value(), POLLIN, 0});
}

std::int64_t RankDoor::next_ns() const {
  return visitors_.empty() ? std::numeric_limits<std::int64_t>::max()
                           : visitors_.front().since_ns + kPatienceNs;
}

void RankDoor::receive(std::span<const pollfd> waits, std::int64_t now_ns,
                       const Visitors& visitors) {
  const std::size_t listeners = listener_.sockets.size();
  std::vector<Visitor> still;
  std::vector<Visitor> all = std::exchange(visitors_, {});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (waits[listeners + i].revents != 0 && !hear(all[i], visitors)) continue;
    if (now_ns < all[i].since_ns + kPatienceNs) {
      still.push_back(std::move(all[i]));
    } else {
      visitors.refused("a connection that sent nothing");
    }
  }
  visitors_ = std::move(still);
  // If the accepted rank was the last one, the listeners are closed.
  for (std::size_t i = 0; i < listeners && i < listener_.sockets.size(); ++i) {
    if (waits[i].revents != 0) accept(listener_.sockets[i].value(), now_ns, visitors);
  }
}

bool RankDoor::hear(Visitor& visitor, const Visitors& visitors) const {
  std::array<char, 4096> buffer;
  const std::string_view bytes = os::read_some(visitor.socket, buffer);
  if (bytes.empty()) {
    if (!visitor.socket.is_open() && !visitor.of_rank.empty()) visitors.refused(kStranger);
    return visitor.socket.is_open();
  }
  try {
    visitor.lines.append(bytes);
    const auto line = visitor.lines.next();
    return !line || take(*line, visitor, visitors);
  } catch (const Error&) {
    visitors.refused(kStranger);
  }
  return false;
}

bool RankDoor::take(std::string_view line, Visitor& visitor, const Visitors& visitors) const {
  if (visitor.of_rank.empty() && fleet::is_hello(line)) {
    visitor.of_rank = fleet::decode_hello(line).challenge;
    visitor.own = fleet::make_token();
    const std::string proof =
        fleet::proof(token_, fleet::kController, visitor.of_rank, visitor.own);
    return !visitor.of_rank.empty() &&
           protocol::write_line(visitor.socket.value(),
                                fleet::encode(fleet::DoorChallenge{visitor.own, proof}));
  }
  const fleet::RankJoin join = fleet::decode_join(line);
  const bool is_known =
      visitor.of_rank.empty()
          ? fleet::is_same(join.token, token_)
          : fleet::is_same(join.proof,
                           fleet::proof(token_, fleet::kRank, visitor.of_rank, visitor.own));
  if (is_known) {
    visitors.join(join, std::move(visitor.socket));
  } else {
    visitors.refused(kStranger);
  }
  return false;
}

void RankDoor::accept(int listener, std::int64_t now_ns, const Visitors& visitors) {
  constexpr int kMostInATurn = 64;
  for (int i = 0; i < kMostInATurn; ++i) {
    os::Descriptor socket{::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!socket.is_open()) {
      if (errno == EMFILE || errno == ENFILE) full_until_ns_ = now_ns + kFullNs;
      return;
    }
    if (visitors_.size() >= kMostVisitors) {
      visitors_.erase(visitors_.begin());
      visitors.refused("a connection that sent nothing");
    }
    fleet::keep_alive(socket.value());
    visitors_.push_back({std::move(socket), protocol::LineBuffer(kMaxJoinBytes), now_ns});
  }
}

void RankDoor::close() {
  stop_listening();
  visitors_.clear();
}

}  // namespace stepbench::run
