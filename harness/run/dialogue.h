// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/outcome.h"
#include "harness/protocol/channel.h"
#include "harness/protocol/messages.h"

namespace stepbench {

// The controller's side of the talk with one worker, fed with bytes as they come. Holds the worker
// to the protocol: hello first, exactly one final line last.
class Dialogue {
 public:
  explicit Dialogue(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  void receive(std::string_view bytes);

  // What the worker did wrong; nothing more is read from it then.
  [[nodiscard]] const std::optional<std::string>& complaint() const { return complaint_; }
  [[nodiscard]] const std::optional<protocol::Hello>& hello() const { return hello_; }
  [[nodiscard]] const std::string& stage() const {
    return stage_;
  }  // "start" until the first is announced
  [[nodiscard]] const std::optional<Outcome>& final_outcome() const { return final_; }
  [[nodiscard]] std::int64_t last_cycle_step_ns() const { return last_cycle_step_ns_; }
  [[nodiscard]] std::size_t cycles() const { return cycles_; }  // whose windows have ended
  [[nodiscard]] bool has_unfinished_line() const { return !lines_.rest().empty(); }
  [[nodiscard]] std::uint64_t messages() const { return messages_; }

  // After the final line.
  [[nodiscard]] LaunchReport take_report() { return std::move(report_); }
  [[nodiscard]] std::vector<Samples> take_samples() { return std::move(samples_); }
  [[nodiscard]] std::vector<OpFrame> take_ops() { return std::move(ops_); }

 private:
  void handle(protocol::Hello&& message);
  void handle(protocol::StageMessage&& message);
  void handle(protocol::CycleMessage&& message);
  void handle(Samples&& message);
  void handle(protocol::OpsMessage&& message);
  void handle(protocol::LaunchMessage&& message);
  void handle(protocol::SkippedMessage&& message);
  void handle(protocol::FailedMessage&& message);

  std::uint64_t max_bytes_;
  std::uint64_t bytes_ = 0;
  std::uint64_t messages_ = 0;
  protocol::LineBuffer lines_;
  std::optional<std::string> complaint_;
  std::optional<protocol::Hello> hello_;
  std::string stage_ = "start";
  std::optional<Outcome> final_;
  std::int64_t last_cycle_step_ns_ = 0;
  std::size_t cycles_ = 0;
  LaunchReport report_;
  std::vector<Samples> samples_;
  std::vector<OpFrame> ops_;
};

}  // namespace stepbench
