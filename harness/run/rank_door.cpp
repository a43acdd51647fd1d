// SPDX-License-Identifier: Apache-2.0
#include "harness/run/rank_door.h"

#include <sys/socket.h>

#include <array>
#include <string_view>
#include <utility>

#include "harness/base/error.h"

namespace stepbench::run {
namespace {

constexpr std::size_t kMaxJoinBytes = std::size_t{64} << 10;

}  // namespace

void RankDoor::wait_for(std::vector<pollfd>& waits) const {
  waits.push_back({listener_.socket.value(), POLLIN, 0});
  for (const Visitor& each : visitors_) waits.push_back({each.socket.value(), POLLIN, 0});
}

void RankDoor::receive(std::span<const pollfd> waits, const Visitors& visitors) {
  std::vector<Visitor> still;
  std::vector<Visitor> all = std::exchange(visitors_, {});
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (waits[i + 1].revents == 0 || hear(all[i], visitors)) still.push_back(std::move(all[i]));
  }
  visitors_ = std::move(still);
  if (waits[0].revents != 0) accept();
}

bool RankDoor::hear(Visitor& visitor, const Visitors& visitors) const {
  std::array<char, 4096> buffer;
  const std::string_view bytes = os::read_some(visitor.socket, buffer);
  if (bytes.empty()) return visitor.socket.is_open();
  try {
    visitor.lines.append(bytes);
    const auto line = visitor.lines.next();
    if (!line) return true;
    const fleet::RankJoin join = fleet::decode_join(*line);
    if (join.token != token_) {
      visitors.refused("a connection with a wrong token");
    } else {
      visitors.join(join, std::move(visitor.socket));
    }
  } catch (const Error&) {
    visitors.refused("a connection that is no rank of this group");
  }
  return false;
}

void RankDoor::accept() {
  for (;;) {
    os::Descriptor socket{
        ::accept4(listener_.socket.value(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!socket.is_open()) return;
    fleet::keep_alive(socket.value());
    visitors_.push_back({std::move(socket), protocol::LineBuffer(kMaxJoinBytes)});
  }
}

void RankDoor::close() {
  stop_listening();
  visitors_.clear();
}

}  // namespace stepbench::run
