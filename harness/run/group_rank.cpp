// SPDX-License-Identifier: Apache-2.0
#include "harness/run/group_rank.h"

#include <sys/socket.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

#include "harness/base/error.h"
#include "harness/os/process_exit.h"
#include "harness/run/output.h"

namespace stepbench::run {

void GroupRank::begin(const fleet::RankBegin& begin, const protocol::CaseMessage& message,
                      const LaunchLimits& limits, LaunchRules rules, std::int64_t now_ns) {
  monitor_ = std::make_unique<WorkerMonitor>(limits, std::move(rules), now_ns);
  send_line(fleet::encode(begin));
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
  if (!line.empty() && line.front() == fleet::kMark) {
    exit_ = fleet::decode_exit(line);
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

}  // namespace stepbench::run
