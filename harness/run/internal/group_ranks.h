// SPDX-License-Identifier: Apache-2.0
// The ranks of a group for its controller: the port to which they connect, and each rank's
// connection, its worker's messages and its end. One thread.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/os/descriptor.h"
#include "harness/protocol/messages.h"
#include "harness/run/internal/address.h"
#include "harness/run/internal/group_lines.h"
#include "harness/run/internal/worker_session.h"

namespace stepbench::run {

class GroupRank {
 public:
  // `socket` must be non-blocking.
  GroupRank(os::Descriptor socket, RankJoin join)
      : socket_(std::move(socket)), join_(std::move(join)) {}

  // Sends the command and the case; then accepts messages. `limits` must outlive this object.
  void begin(const RankBegin& begin, const protocol::CaseMessage& message,
             const LaunchLimits& limits, LaunchRules rules, std::int64_t now_ns);
  // Reads all available data.
  void receive(std::int64_t now_ns);
  void send_line(std::string_view line);
  // Requests an immediate end; the rank then reports how it ended.
  void stop();
  void close() { socket_.close(); }

  [[nodiscard]] int descriptor() const { return socket_.value(); }  // -1: closed
  [[nodiscard]] bool is_closed() const { return !socket_.is_open(); }
  [[nodiscard]] const RankJoin& join() const { return join_; }
  [[nodiscard]] const std::optional<RankExit>& exit() const { return exit_; }
  [[nodiscard]] bool has_begun() const { return monitor_ != nullptr; }
  [[nodiscard]] WorkerMonitor& monitor() { return *monitor_; }
  [[nodiscard]] const WorkerMonitor& monitor() const { return *monitor_; }
  // It has sent its final line.
  [[nodiscard]] bool is_done() const { return monitor_ && monitor_->session().final_outcome(); }
  // Why it cannot continue: "was killed by SIGKILL without a final line"; nullopt: no problem.
  [[nodiscard]] std::optional<std::string> trouble() const;
  // How much its end explains the end of the group; the heaviest is reported as the cause.
  enum class Weight : std::uint8_t {
    kSignalled,  // ended by its launcher
    kFailed,     // failed, silent or gone
    kKilled,     // by a signal that is not used for an orderly end
  };
  [[nodiscard]] Weight weight() const;
  // Signal by which its launcher ended it; 0: none.
  [[nodiscard]] int signalled() const { return exit_ ? exit_->signalled : 0; }

 private:
  void take(std::string_view line, std::int64_t now_ns);
  [[nodiscard]] std::string exit_words() const;

  os::Descriptor socket_;
  protocol::LineBuffer lines_;
  RankJoin join_;
  std::unique_ptr<WorkerMonitor> monitor_;
  std::optional<RankExit> exit_;
  std::optional<std::string> broken_;  // invalid message from the rank
};

// Accepts connections from the ranks of a group: a port, and connections that have not been
// authenticated yet.
class RankAcceptor {
 public:
  struct Callbacks {
    // Called with a rank that proved that it knows the token (or sent it, as agents of older builds
    // do) and its non-blocking connection.
    std::function<void(const RankJoin&, os::Descriptor)> join;
    // Called with a reason such as "a connection with a wrong token".
    std::function<void(const std::string&)> refused;
  };

  // See run::listen_for_ranks().
  RankAcceptor(const std::string& bind, bool other_machines, int ranks)
      : listener_(run::listen_for_ranks(bind, other_machines)),
        token_(run::make_token()),
        max_pending_(kMaxStrangers + static_cast<std::size_t>(ranks)) {}

  // Address and token for the ranks' environment.
  [[nodiscard]] std::string address() const { return run::to_text(listener_); }
  [[nodiscard]] const std::string& token() const { return token_; }

  // Appends descriptors to poll until next_ns(); pass the same ones to receive() in that turn.
  void wait_for(std::vector<pollfd>& waits, std::int64_t now_ns) const;
  [[nodiscard]] std::int64_t next_ns() const;
  void receive(std::span<const pollfd> waits, std::int64_t now_ns, const Callbacks& callbacks);
  void stop_listening() { listener_.sockets.clear(); }
  // Stops listening and drops all connections that are not authenticated.
  void close();

 private:
  static constexpr std::size_t kMaxStrangers = 256;
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

  RankListener listener_;
  std::string token_;
  std::size_t max_pending_;                     // then one is dropped for a new one
  std::vector<PendingConnection> connections_;  // oldest first
  std::int64_t full_until_ns_ = 0;              // out of descriptors until then
};

}  // namespace stepbench::run
