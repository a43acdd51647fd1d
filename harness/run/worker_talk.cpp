// SPDX-License-Identifier: Apache-2.0
#include "harness/run/worker_talk.h"

#include <utility>

#include "harness/text/numbers.h"

namespace stepbench::run {

using protocol::Stage;

WorkerMonitor::WorkerMonitor(const LaunchLimits& limits, LaunchRules rules, std::int64_t begin_ns)
    : limits_(limits),
      session_(limits.protocol_bytes, std::move(rules)),
      watch_(limits.stall),
      begin_ns_(begin_ns),
      since_ns_(begin_ns) {}

void WorkerMonitor::receive(std::string_view bytes, std::int64_t now_ns) {
  const std::optional<Stage> stage = session_.stage();
  const std::uint64_t messages = session_.messages();
  const std::uint64_t stages = session_.stage_messages();
  const std::size_t cycles = session_.cycles();
  const bool ended = session_.final_outcome().has_value();
  session_.receive(bytes, now_ns - begin_ns_);
  if (session_.messages() == messages) return;
  last_message_ns_ = now_ns;
  const bool more_cycles = session_.cycles() != cycles;
  const bool stage_is_last = session_.last_message().starts_with("`stage");
  if (more_cycles && stage_is_last) watch_.cycle(session_.last_cycle_step_ns());
  if (session_.stage_messages() != stages)
    watch_.stage(*session_.stage_message(), last_message_ns_);
  if (more_cycles && !stage_is_last) watch_.cycle(session_.last_cycle_step_ns());
  if (session_.stage() != stage || session_.final_outcome().has_value() != ended || in_cycles()) {
    since_ns_ = now_ns;
  }
}

std::string WorkerMonitor::stage_name() const {
  return session_.stage() ? std::string(name_of(*session_.stage())) : "start";
}

bool WorkerMonitor::in_cycles() const {
  return session_.stage() == Stage::kWarmup || session_.stage() == Stage::kActive;
}

bool WorkerMonitor::is_ending() const {
  return session_.final_outcome() || session_.stage() == Stage::kTearDown;
}

std::int64_t WorkerMonitor::limit_ns() const {
  return is_ending() ? limits_.tear_down_ns : in_cycles() ? watch_.silence_ns() : limits_.set_up_ns;
}

std::string WorkerMonitor::limit_name() const {
  return is_ending() ? "limits.tear_down_s" : in_cycles() ? watch_.limit().name : "limits.set_up_s";
}

std::string WorkerMonitor::silence() const {
  return "no message for " + text::seconds_text(static_cast<double>(limit_ns()) * 1e-9) +
         " (limit: " + limit_name() + ")" + last_sign();
}

std::string WorkerMonitor::last_sign() const {
  const std::string where = " in stage " + stage_name();
  if (session_.last_message().empty()) return where + "; it never sent a message";
  return where + "; its last message was " + session_.last_message() + ", " +
         text::duration(static_cast<double>(last_message_ns_ - begin_ns_)) + " after its start";
}

}  // namespace stepbench::run
