// SPDX-License-Identifier: Apache-2.0
// Accepts connections from the ranks of a group: a port, and connections that have not been
// authenticated yet. One thread.
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

class RankAcceptor {
 public:
  struct Callbacks {
    // Called with a rank that proved that it knows the token (or sent it, as agents of older builds
    // do) and its non-blocking connection.
    std::function<void(const fleet::RankJoin&, os::Descriptor)> join;
    // Called with a reason such as "a connection with a wrong token".
    std::function<void(const std::string&)> refused;
  };

  // See fleet::listen_for_ranks().
  RankAcceptor(const std::string& bind, bool other_machines)
      : listener_(fleet::listen_for_ranks(bind, other_machines)), token_(fleet::make_token()) {}

  // Address and token for the ranks' environment.
  [[nodiscard]] std::string address() const { return fleet::to_text(listener_); }
  [[nodiscard]] const std::string& token() const { return token_; }

  // Appends descriptors to poll until next_ns(); pass the same ones to receive() in that turn.
  void wait_for(std::vector<pollfd>& waits, std::int64_t now_ns) const;
  [[nodiscard]] std::int64_t next_ns() const;
  void receive(std::span<const pollfd> waits, std::int64_t now_ns, const Callbacks& callbacks);
  void stop_listening() { listener_.sockets.clear(); }
  // Stops listening and drops all connections that are not authenticated.
  void close();

 private:
  struct PendingConnection {
    os::Descriptor socket;
    protocol::LineBuffer lines;
    std::int64_t since_ns = 0;
    std::string of_rank = {};  // its challenge; empty: no message yet
    std::string own = {};      // our challenge
  };
  // Return false if the visitor is gone or was accepted.
  bool hear(PendingConnection& connection, const Callbacks& callbacks) const;
  bool take(std::string_view line, PendingConnection& connection, const Callbacks& callbacks) const;
  void accept(int listener, std::int64_t now_ns, const Callbacks& callbacks);

  fleet::RankListener listener_;
  std::string token_;
  std::vector<PendingConnection> connections_;  // oldest first
  std::int64_t full_until_ns_ = 0;              // out of descriptors until then
};

}  // namespace stepbench::run
