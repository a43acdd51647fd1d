// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a group call in: a port, and connections that have not said yet who they are.
// One thread.
#pragma once

#include <poll.h>

#include <functional>
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
    // A rank that knows the token, and its non-blocking connection.
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

  // Adds what is to be waited for; receive() gets these of the same turn.
  void wait_for(std::vector<pollfd>& waits) const;
  void receive(std::span<const pollfd> waits, const Visitors& visitors);
  void stop_listening() { listener_.socket.close(); }
  // Nor is anybody at the door heard any more.
  void close();

 private:
  struct Visitor {
    os::Descriptor socket;
    protocol::LineBuffer lines;
  };
  // False: it is gone, or let in.
  bool hear(Visitor& visitor, const Visitors& visitors) const;
  void accept();

  fleet::RankListener listener_;
  std::string token_;
  std::vector<Visitor> visitors_;
};

}  // namespace stepbench::run
