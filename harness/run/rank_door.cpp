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
constexpr std::size_t kMaxPendingConnections = 256;  // the oldest is dropped for a new one
constexpr std::int64_t kFullNs = 200'000'000;        // retry interval when out of descriptors
constexpr const char* kNotARank = "a connection that is not a rank of this group";

}  // namespace

void RankAcceptor::wait_for(std::vector<pollfd>& waits, std::int64_t now_ns) const {
  for (const os::Descriptor& each : listener_.sockets) {
    waits.push_back({now_ns < full_until_ns_ ? -1 : each.value(), POLLIN, 0});
  }
  for (const PendingConnection& each : connections_)
    waits.push_back({each.socket.value(), POLLIN, 0});
}

std::int64_t RankAcceptor::next_ns() const {
  return connections_.empty() ? std::numeric_limits<std::int64_t>::max()
                              : connections_.front().since_ns + kPatienceNs;
}

void RankAcceptor::receive(std::span<const pollfd> waits, std::int64_t now_ns,
                           const Callbacks& callbacks) {
  const std::size_t listeners = listener_.sockets.size();
  std::vector<PendingConnection> still;
  std::vector<PendingConnection> all = std::exchange(connections_, {});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (waits[listeners + i].revents != 0 && !hear(all[i], callbacks)) continue;
    if (now_ns < all[i].since_ns + kPatienceNs) {
      still.push_back(std::move(all[i]));
    } else {
      callbacks.refused("a connection that sent nothing");
    }
  }
  connections_ = std::move(still);
  // If the accepted rank was the last one, the listeners are closed.
  for (std::size_t i = 0; i < listeners && i < listener_.sockets.size(); ++i) {
    if (waits[i].revents != 0) accept(listener_.sockets[i].value(), now_ns, callbacks);
  }
}

bool RankAcceptor::hear(PendingConnection& connection, const Callbacks& callbacks) const {
  std::array<char, 4096> buffer;
  const std::string_view bytes = os::read_some(connection.socket, buffer);
  if (bytes.empty()) {
    if (!connection.socket.is_open() && !connection.of_rank.empty()) callbacks.refused(kNotARank);
    return connection.socket.is_open();
  }
  try {
    connection.lines.append(bytes);
    const auto line = connection.lines.next();
    return !line || take(*line, connection, callbacks);
  } catch (const Error&) {
    callbacks.refused(kNotARank);
  }
  return false;
}

bool RankAcceptor::take(std::string_view line, PendingConnection& connection,
                        const Callbacks& callbacks) const {
  if (connection.of_rank.empty() && fleet::is_hello(line)) {
    connection.of_rank = fleet::decode_hello(line).challenge;
    connection.own = fleet::make_token();
    const std::string proof =
        fleet::proof(token_, fleet::kController, connection.of_rank, connection.own);
    return !connection.of_rank.empty() &&
           protocol::write_line(connection.socket.value(),
                                fleet::encode(fleet::ControllerChallenge{connection.own, proof}));
  }
  const fleet::RankJoin join = fleet::decode_join(line);
  const bool is_known =
      connection.of_rank.empty()
          ? fleet::is_same(join.token, token_)
          : fleet::is_same(join.proof,
                           fleet::proof(token_, fleet::kRank, connection.of_rank, connection.own));
  if (is_known) {
    callbacks.join(join, std::move(connection.socket));
  } else {
    callbacks.refused(kNotARank);
  }
  return false;
}

void RankAcceptor::accept(int listener, std::int64_t now_ns, const Callbacks& callbacks) {
  constexpr int kMaxPerTurn = 64;
  for (int i = 0; i < kMaxPerTurn; ++i) {
    os::Descriptor socket{::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!socket.is_open()) {
      if (errno == EMFILE || errno == ENFILE) full_until_ns_ = now_ns + kFullNs;
      return;
    }
    if (connections_.size() >= kMaxPendingConnections) {
      connections_.erase(connections_.begin());
      callbacks.refused("a connection that sent nothing");
    }
    fleet::keep_alive(socket.value());
    connections_.push_back({std::move(socket), protocol::LineBuffer(kMaxJoinBytes), now_ns});
  }
}

void RankAcceptor::close() {
  stop_listening();
  connections_.clear();
}

}  // namespace stepbench::run
