// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/group_ranks.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <utility>

#include "harness/base/error.h"
#include "harness/os/process.h"
#include "harness/run/internal/group_lines.h"
#include "harness/run/internal/worker_output.h"

namespace stepbench::run {

void GroupRank::begin(const RankBegin& begin, const protocol::CaseMessage& message,
                      const LaunchLimits& limits, LaunchRules rules, std::int64_t now_ns) {
  monitor_ = std::make_unique<WorkerMonitor>(limits, std::move(rules), now_ns);
  send_line(run::encode(begin));
  send_line(protocol::encode(message));
}

void GroupRank::receive(std::int64_t now_ns) {
  constexpr int kReadsPerTurn = 16;
  std::array<char, 65536> buffer;
  for (int reads = 0; reads < kReadsPerTurn && socket_.is_open(); ++reads) {
    const std::string_view bytes = os::read_some(socket_, buffer);
    if (bytes.empty()) return;
    try {
      lines_.append(bytes);
      while (const auto line = lines_.next()) take(*line, now_ns);
    } catch (const Error& error) {
      if (!broken_) broken_ = error.what();
    }
  }
}

void GroupRank::take(std::string_view line, std::int64_t now_ns) {
  if (!line.empty() && line.front() == run::kMark) {
    exit_ = run::decode_exit(line);
  } else if (monitor_) {
    monitor_->receive(std::string(line) + '\n', now_ns);
  }
}

void GroupRank::send_line(std::string_view line) {
  if (!socket_.is_open()) return;
  try {
    static_cast<void>(protocol::write_line(socket_.value(), line));
  } catch (const Error&) {  // a lost connection is detected when reading
  }
}

void GroupRank::stop() {
  if (socket_.is_open()) ::shutdown(socket_.value(), SHUT_WR);
}

std::optional<std::string> GroupRank::trouble() const {
  if (broken_) return "breaks the protocol of groups: " + *broken_;
  if (monitor_ && monitor_->session().protocol_error())
    return *monitor_->session().protocol_error();
  if (is_done()) {
    const Outcome& outcome = *monitor_->session().final_outcome();
    return outcome.kind == Outcome::Kind::kFailed ? std::optional(outcome.reason) : std::nullopt;
  }
  if (exit_) return exit_words();
  if (is_closed()) return "its connection was closed: its machine or its launcher there is gone";
  return std::nullopt;
}

GroupRank::Weight GroupRank::weight() const {
  if (is_done() || !exit_) return Weight::kFailed;
  if (exit_->signalled != 0) return Weight::kSignalled;
  const bool killed = exit_->status >= 0 && WIFSIGNALED(exit_->status);
  return killed && WTERMSIG(exit_->status) != SIGTERM ? Weight::kKilled : Weight::kFailed;
}

std::string GroupRank::exit_words() const {
  if (exit_->status < 0) return exit_->message;
  const os::ProcessExit death{.status = exit_->status, .oom_killed = exit_->oom_killed};
  std::string words = os::exit_text(death) + " without a final line" +
                      (exit_->cut ? " (its last line is cut off)" : "");
  // A worker that exits by itself usually gives the reason in its last line.
  return WIFEXITED(exit_->status) ? words + last_words(exit_->output) : words;
}

namespace {

constexpr std::size_t kMaxJoinBytes = std::size_t{64} << 10;
constexpr std::int64_t kPatienceNs = 5'000'000'000;  // time for a connection to authenticate
constexpr std::int64_t kFullNs = 200'000'000;        // retry interval when out of descriptors
constexpr const char* kNotARank = "a connection that is not a rank of this group";
constexpr const char* kSilent = "a connection that sent nothing";

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
      callbacks.refused(all[i].of_rank.empty() ? kSilent : kNotARank);
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
  const auto proof = [&](std::string_view role) {
    return run::proof(token_, role, connection.of_rank,
                      connection.own + run::own_address(connection.socket.value()));
  };
  if (connection.of_rank.empty() && run::is_hello(line)) {
    connection.of_rank = run::decode_hello(line).challenge;
    connection.own = run::make_token();
    const ControllerChallenge challenge{connection.own, proof(run::kController)};
    return !connection.of_rank.empty() &&
           protocol::write_line(connection.socket.value(), run::encode(challenge));
  }
  const RankJoin join = run::decode_join(line);
  const bool is_known = connection.of_rank.empty() ? run::is_same(join.token, token_)
                                                   : run::is_same(join.proof, proof(run::kRank));
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
    if (connections_.size() >= max_pending_) {
      auto dropped = std::ranges::find(connections_, "", &PendingConnection::of_rank);
      if (dropped == connections_.end()) dropped = connections_.begin();
      callbacks.refused(dropped->of_rank.empty() ? kSilent : kNotARank);
      connections_.erase(dropped);
    }
    run::keep_alive(socket.value());
    connections_.push_back({std::move(socket), protocol::LineBuffer(kMaxJoinBytes), now_ns});
  }
}

void RankAcceptor::close() {
  stop_listening();
  connections_.clear();
}

}  // namespace stepbench::run
