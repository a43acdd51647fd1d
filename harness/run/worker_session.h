// SPDX-License-Identifier: Apache-2.0
// Parses one worker's messages, fed with bytes as they arrive. Enforces the protocol: hello first,
// exactly one final line last, plausible numbers. One thread; never throws: see protocol_error().
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/outcome.h"
#include "harness/protocol/channel.h"
#include "harness/protocol/messages.h"
#include "harness/run/launch_rules.h"

namespace stepbench::run {

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
  [[nodiscard]] const std::optional<Outcome>& final_outcome() const { return final_; }
  [[nodiscard]] std::int64_t last_cycle_step_ns() const { return last_cycle_step_ns_; }
  [[nodiscard]] std::size_t cycles() const { return cycles_; }  // number of ended windows
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
  std::optional<Outcome> final_;
  std::int64_t last_cycle_step_ns_ = 0;
  std::size_t cycles_ = 0;
  record::LaunchReport report_;
  std::vector<record::CycleSamples> samples_;
  std::vector<ops::OpFrame> ops_;
};

}  // namespace stepbench::run
