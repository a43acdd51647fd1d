// SPDX-License-Identifier: Apache-2.0
// One worker's messages and the limit on its silence. Fed with bytes as they arrive; the owner
// passes the time. One thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "harness/run/launch_limits.h"
#include "harness/run/stall_watch.h"
#include "harness/run/worker_session.h"

namespace stepbench::run {

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
