// SPDX-License-Identifier: Apache-2.0
// What one worker says, and how long it may say nothing: fed with bytes as they come, told the time
// by its owner. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/run/launch_limits.h"
#include "harness/run/stall_watch.h"
#include "harness/run/worker_session.h"

namespace stepbench::run {

class WorkerTalk {
 public:
  // `limits` outlives it. Times are those of one clock; `begin_ns`: when the worker was started.
  WorkerTalk(const LaunchLimits& limits, LaunchRules rules, std::int64_t begin_ns);

  void receive(std::string_view bytes, std::int64_t now_ns);
  // Nobody listened for so long.
  void slept(std::int64_t slept_ns) { since_ns_ += slept_ns; }

  [[nodiscard]] const WorkerSession& session() const { return session_; }
  [[nodiscard]] WorkerSession& session() { return session_; }
  [[nodiscard]] std::string stage_name() const;  // "start" before `hello`

  [[nodiscard]] std::int64_t deadline_ns() const { return since_ns_ + limit_ns(); }
  [[nodiscard]] std::int64_t limit_ns() const;  // of the stage
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
  std::int64_t since_ns_;      // the current stage's limit counts from here
  std::int64_t heard_ns_ = 0;  // when the last message came
};

}  // namespace stepbench::run
