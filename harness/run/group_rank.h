// SPDX-License-Identifier: Apache-2.0
// The controller's view of one rank: its connection, its worker's messages and its end. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "harness/fleet/group_lines.h"
#include "harness/os/descriptor.h"
#include "harness/protocol/channel.h"
#include "harness/run/worker_talk.h"

namespace stepbench::run {

class GroupRank {
 public:
  // `socket` must be non-blocking.
  GroupRank(os::Descriptor socket, fleet::RankJoin join)
      : socket_(std::move(socket)), join_(std::move(join)) {}

  // Sends the command and the case; then accepts messages. `limits` must outlive this object.
  void begin(const fleet::RankBegin& begin, const protocol::CaseMessage& message,
             const LaunchLimits& limits, LaunchRules rules, std::int64_t now_ns);
  // Reads all available data.
  void receive(std::int64_t now_ns);
  void send_line(std::string_view line);
  // Requests an immediate end; the rank then reports how it ended.
  void stop();
  void close() { socket_.close(); }

  [[nodiscard]] int descriptor() const { return socket_.value(); }  // -1: closed
  [[nodiscard]] bool is_closed() const { return !socket_.is_open(); }
  [[nodiscard]] const fleet::RankJoin& join() const { return join_; }
  [[nodiscard]] const std::optional<fleet::RankExit>& exit() const { return exit_; }
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
  fleet::RankJoin join_;
  std::unique_ptr<WorkerMonitor> monitor_;
  std::optional<fleet::RankExit> exit_;
  std::optional<std::string> broken_;  // invalid message from the rank
};

}  // namespace stepbench::run
