// SPDX-License-Identifier: Apache-2.0
// One rank of a group as its controller knows it: a connection, what its worker says, how it ended.
// One thread.
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
  // `socket`: non-blocking.
  GroupRank(os::Descriptor socket, fleet::RankJoin join)
      : socket_(std::move(socket)), join_(std::move(join)) {}

  // Sends what it is to run and the case; what it says counts from here on. `limits` outlives it.
  void begin(const fleet::RankBegin& begin, const protocol::CaseMessage& message,
             const LaunchLimits& limits, LaunchRules rules, std::int64_t now_ns);
  // Reads what there is.
  void receive(std::int64_t now_ns);
  void say(std::string_view line);
  // It is to end at once, and says how it did.
  void stop();
  void close() { socket_.close(); }

  [[nodiscard]] int descriptor() const { return socket_.value(); }  // -1: it is closed
  [[nodiscard]] bool is_closed() const { return !socket_.is_open(); }
  [[nodiscard]] const fleet::RankJoin& join() const { return join_; }
  [[nodiscard]] const std::optional<fleet::RankExit>& exit() const { return exit_; }
  [[nodiscard]] bool has_begun() const { return talk_ != nullptr; }
  [[nodiscard]] WorkerTalk& talk() { return *talk_; }
  [[nodiscard]] const WorkerTalk& talk() const { return *talk_; }
  // It has said its last line.
  [[nodiscard]] bool is_done() const { return talk_ && talk_->session().final_outcome(); }
  // Why it can measure nothing more, as "was killed by SIGKILL without a final line"; nothing: all
  // is well.
  [[nodiscard]] std::optional<std::string> trouble() const;
  // How much its end tells of why the group ends: of several the heaviest is the cause.
  enum class Weight : std::uint8_t {
    kTold,    // by its launcher
    kFailed,  // or is silent, or gone
    kKilled,  // by a signal that nobody sends to end a process in order
  };
  [[nodiscard]] Weight weight() const;
  // By which its launcher told it to end; 0: it did not.
  [[nodiscard]] int told() const { return exit_ ? exit_->told : 0; }

 private:
  void take(std::string_view line, std::int64_t now_ns);
  [[nodiscard]] std::string exit_words() const;

  os::Descriptor socket_;
  protocol::LineBuffer lines_;
  fleet::RankJoin join_;
  std::unique_ptr<WorkerTalk> talk_;
  std::optional<fleet::RankExit> exit_;
  std::optional<std::string> broken_;  // what it said is no line of a group
};

}  // namespace stepbench::run
