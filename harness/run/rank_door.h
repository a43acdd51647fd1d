// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a group call in: a port, and connections that have not said yet who they are.
// One thread.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "harness/fleet/address.h"
#include "harness/fleet/group_lines.h"
#include "harness/os/descriptor.h"
#include "harness/protocol/channel.h"

namespace stepbench::run {

class RankDoor {
 public:
  struct Visitors {
    // A rank that knows the token, or said it as agents of older builds do, and its non-blocking
    // connection.
    std::function<void(const fleet::RankJoin&, os::Descriptor)> join;
    // "a connection with a wrong token"
    std::function<void(const std::string&)> refused;
  };

  // See fleet::listen_for_ranks().
  RankDoor(const std::string& bind, bool other_machines)
      : listener_(fleet::listen_for_ranks(bind, other_machines)), token_(fleet::make_token()) {}

  // What a rank has to know: its environment names both.
  [[nodiscard]] std::string address() const { return fleet::to_text(listener_); }
  [[nodiscard]] const std::string& token() const { return token_; }

  // Adds what is to be waited for, until next_ns(); receive() gets these of the same turn.
  void wait_for(std::vector<pollfd>& waits, std::int64_t now_ns) const;
  [[nodiscard]] std::int64_t next_ns() const;
  void receive(std::span<const pollfd> waits, std::int64_t now_ns, const Visitors& visitors);
  void stop_listening() { listener_.sockets.clear(); }
  // Nor is anybody at the door heard any more.
  void close();

 private:
  struct Visitor {
    os::Descriptor socket;
    protocol::LineBuffer lines;
    std::int64_t since_ns = 0;
    std::string of_rank = {};  // its challenge; empty: it has said nothing
    std::string own = {};      // ours
  };
  // False: it is gone, or let in.
  bool hear(Visitor& visitor, const Visitors& visitors) const;
  bool take(std::string_view line, Visitor& visitor, const Visitors& visitors) const;
  void accept(int listener, std::int64_t now_ns, const Visitors& visitors);

  fleet::RankListener listener_;
  std::string token_;
  std::vector<Visitor> visitors_;   // the oldest first
  std::int64_t full_until_ns_ = 0;  // no descriptor is left
};

}  // namespace stepbench::run
