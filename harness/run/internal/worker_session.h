// SPDX-License-Identifier: Apache-2.0
// One worker's messages, fed with bytes as they arrive, and the limit on its silence. Checks that
// the worker follows the protocol: hello first, exactly one final line at the end, plausible
// numbers. One thread; throws nothing: protocol_error() describes what is wrong.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/launch_outcome.h"
#include "harness/protocol/messages.h"
#include "harness/run/internal/launch_limits.h"
#include "harness/run/internal/launch_rules.h"

namespace stepbench::run {

// Position in the schedule, from a worker's messages in their order.
struct SchedulePlace {
  std::size_t cycles = 0;  // ended windows
  std::size_t begins = 0;  // of windows; a window that begins anew is counted again
  bool in_window = false;
  bool measures = false;  // in warm-up or a window

  void take(const protocol::StageMessage& message) {
    in_window = message.stage == protocol::Stage::kActive;
    measures = in_window || message.stage == protocol::Stage::kWarmup;
    if (in_window) ++begins;
  }
  void take(const protocol::CycleMessage& /*message*/) {
    in_window = false;
    ++cycles;
  }
};

class WorkerSession {
 public:
  explicit WorkerSession(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}
  // Also checks the worker's numbers.
  WorkerSession(std::uint64_t max_bytes, LaunchRules rules)
      : max_bytes_(max_bytes), check_(LaunchCheck{std::move(rules)}) {}

  // `age_ns`: since the worker's start; 0: unknown.
  void receive(std::string_view bytes, std::int64_t age_ns = 0);

  // Violation of the protocol; further input is ignored.
  [[nodiscard]] const std::optional<std::string>& protocol_error() const { return protocol_error_; }
  [[nodiscard]] const std::optional<protocol::Hello>& hello() const { return hello_; }
  // nullopt before `hello`.
  [[nodiscard]] std::optional<protocol::Stage> stage() const { return stage_; }
  // The last stage message; nullopt before the first.
  [[nodiscard]] const std::optional<protocol::StageMessage>& stage_message() const {
    return stage_message_;
  }
  [[nodiscard]] std::uint64_t stage_messages() const { return stage_messages_; }
  // "`stage active`"; empty before the first message.
  [[nodiscard]] const std::string& last_message() const { return last_message_; }
  [[nodiscard]] bool stage_is_last() const { return stage_is_last_; }  // it was a stage message
  [[nodiscard]] const std::optional<Outcome>& final_outcome() const { return final_; }
  [[nodiscard]] std::int64_t last_cycle_step_ns() const { return last_cycle_step_ns_; }
  [[nodiscard]] const SchedulePlace& place() const { return place_; }
  [[nodiscard]] bool has_unfinished_line() const { return !lines_.rest().empty(); }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

  // Valid after the final line.
  [[nodiscard]] record::LaunchReport take_report() { return std::move(report_); }
  [[nodiscard]] std::vector<record::CycleSamples> take_samples() { return std::move(samples_); }
  [[nodiscard]] std::vector<ops::OpFrame> take_ops() { return std::move(ops_); }

 private:
  void handle(protocol::Hello&& message);
  void handle(protocol::StageMessage&& message);
  void handle(protocol::CycleMessage&& message);
  void handle(record::CycleSamples&& message);
  void handle(ops::OpFrame&& message);
  void handle(record::LaunchReport&& message);
  void handle(protocol::SkippedMessage&& message);
  void handle(protocol::FailedMessage&& message);

  std::uint64_t max_bytes_;
  std::optional<LaunchCheck> check_;
  std::int64_t age_ns_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t messages_ = 0;
  protocol::LineBuffer lines_;
  protocol::WorkerDecoder decoder_;
  std::optional<std::string> protocol_error_;
  std::optional<protocol::Hello> hello_;
  std::optional<protocol::Stage> stage_;
  std::optional<protocol::StageMessage> stage_message_;
  std::uint64_t stage_messages_ = 0;
  std::string last_message_;
  bool stage_is_last_ = false;
  std::optional<Outcome> final_;
  std::int64_t last_cycle_step_ns_ = 0;
  SchedulePlace place_;
  record::LaunchReport report_;
  std::vector<record::CycleSamples> samples_;
  std::vector<ops::OpFrame> ops_;
};

// One worker's messages and the limit on its silence. The owner passes the time.
class WorkerMonitor {
 public:
  // `limits` must outlive this object. All times are of one clock; `begin_ns`: start of the worker.
  WorkerMonitor(const LaunchLimits& limits, LaunchRules rules, std::int64_t begin_ns);

  void receive(std::string_view bytes, std::int64_t now_ns);
  // Extends the limit by time in which the controller did not run.
  void slept(std::int64_t slept_ns) { since_ns_ += slept_ns; }

  [[nodiscard]] const WorkerSession& session() const { return session_; }
  [[nodiscard]] WorkerSession& session() { return session_; }
  [[nodiscard]] std::string stage_name() const;  // "start" before `hello`

  [[nodiscard]] std::int64_t deadline_ns() const { return since_ns_ + limit_ns(); }
  [[nodiscard]] std::int64_t limit_ns() const;  // limit of the current stage
  [[nodiscard]] std::string limit_name() const;
  // "no message for 2 s (limit: limits.set_up_s) in stage set_up; its last message was ..."
  [[nodiscard]] std::string silence() const;
  // " in stage active; its last message was `stage active`, 2.1 s after its start"
  [[nodiscard]] std::string last_sign() const;

 private:
  [[nodiscard]] bool in_cycles() const;
  [[nodiscard]] bool is_ending() const;

  const LaunchLimits& limits_;
  WorkerSession session_;
  StallWatch watch_;
  std::int64_t begin_ns_;
  std::int64_t since_ns_;             // start of the current limit
  std::int64_t last_message_ns_ = 0;  // time of the last message
};

}  // namespace stepbench::run
