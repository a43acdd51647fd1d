// SPDX-License-Identifier: Apache-2.0
#include "harness/run/internal/worker_session.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/ops/op_table.h"
#include "harness/text/numbers.h"
#include "harness/text/printable.h"

namespace stepbench::run {
namespace {

constexpr std::size_t kQuotedBytes = 120;

std::string quote(std::string_view line) {
  std::string text = text::to_valid_utf8(line.substr(0, kQuotedBytes));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return "\"" + text + (line.size() > kQuotedBytes ? "...\"" : "\"");
}

// Name of a message for users: "`stage active`".
struct TitleOf {
  std::string operator()(const protocol::Hello&) const { return "`hello`"; }
  std::string operator()(const protocol::StageMessage& message) const {
    return "`stage " + std::string{name_of(message.stage)} + "`";
  }
  std::string operator()(const protocol::CycleMessage& message) const {
    return formatted("`cycle {}`", message.cycle);
  }
  std::string operator()(const record::CycleSamples&) const { return "`samples`"; }
  std::string operator()(const ops::OpFrame&) const { return "`ops`"; }
  std::string operator()(const record::LaunchReport&) const { return "`launch`"; }
  std::string operator()(const protocol::SkippedMessage&) const { return "`skipped`"; }
  std::string operator()(const protocol::FailedMessage&) const { return "`failed`"; }
};

std::string title_of(const protocol::WorkerMessage& message) {
  return std::visit(TitleOf{}, message);
}

}  // namespace

void WorkerSession::receive(std::string_view bytes, std::int64_t age_ns) {
  if (protocol_error_) return;
  age_ns_ = age_ns;
  bytes_ += bytes.size();
  if (bytes_ > max_bytes_) {
    protocol_error_ = formatted("the worker sent more than {} MiB of messages", max_bytes_ >> 20);
    return;
  }
  std::string_view line;
  try {
    lines_.append(bytes);
    while (!protocol_error_) {
      const auto next = lines_.next();
      if (!next) break;
      line = *next;
      ++messages_;
      protocol::WorkerMessage message = decoder_.decode(line);
      if (!hello_ && !std::holds_alternative<protocol::Hello>(message)) {
        throw Error("the first message must be `hello`");
      }
      if (final_) throw Error("nothing may follow the final line");
      last_message_ = title_of(message);
      stage_is_last_ = std::holds_alternative<protocol::StageMessage>(message);
      std::visit([this](auto&& value) { handle(std::forward<decltype(value)>(value)); },
                 std::move(message));
      line = {};
    }
  } catch (const Error& error) {
    const std::string number = std::to_string(std::max<std::uint64_t>(messages_, 1));
    protocol_error_ = formatted("message {} of the worker breaks the protocol: {}", number,
                                text::to_valid_utf8(error.what()));
    if (!line.empty()) *protocol_error_ += ": " + quote(line);
  }
}

void WorkerSession::handle(protocol::Hello&& message) {
  if (hello_) throw Error("`hello` may come only once");
  try {
    static_cast<void>(protocol::agree(protocol::kSupported, message.protocol));
  } catch (const Error& error) {
    protocol_error_ = std::string{"the worker is of another version: "} + error.what();
    return;
  }
  if (check_ && !check_->has_our_options(message)) {
    protocol_error_ =
        "the worker was built with other options than this stepbench: build both from one tree, or "
        "name the worker with --worker";
    return;
  }
  if (check_) check_->hello(message);
  hello_ = std::move(message);
  stage_ = protocol::Stage::kSetUp;
}

void WorkerSession::handle(protocol::StageMessage&& message) {
  if (check_) check_->stage(message);
  stage_ = message.stage;
  stage_message_ = message;
  place_.take(message);
  ++stage_messages_;
}

void WorkerSession::handle(protocol::CycleMessage&& message) {
  if (check_) check_->cycle(message);
  last_cycle_step_ns_ = message.mean_step_ns;
  place_.take(message);
}

void WorkerSession::handle(record::CycleSamples&& message) {
  if (check_) check_->samples(message);
  samples_.push_back(std::move(message));
}

void WorkerSession::handle(ops::OpFrame&& message) {
  if (check_) check_->ops(message);
  static_cast<void>(ops::op_table_of({&message, 1}));  // throws if it is inconsistent
  ops_.push_back(std::move(message));
}

void WorkerSession::handle(record::LaunchReport&& message) {
  if (check_) check_->launch(message, age_ns_);
  report_ = std::move(message);
  final_ = Outcome::measured();
}

void WorkerSession::handle(protocol::SkippedMessage&& message) {
  final_ = Outcome::skipped(std::move(message.reason));
}

void WorkerSession::handle(protocol::FailedMessage&& message) {
  stage_ = message.stage;
  final_ = Outcome::failed(std::move(message.message));
}

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
  const std::size_t cycles = session_.place().cycles;
  const bool ended = session_.final_outcome().has_value();
  session_.receive(bytes, now_ns - begin_ns_);
  if (session_.messages() == messages) return;
  last_message_ns_ = now_ns;
  const bool more_cycles = session_.place().cycles != cycles;
  const bool stage_is_last = session_.stage_is_last();
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
  return formatted("no message for {} (limit: {}){}",
                   text::seconds_text(static_cast<double>(limit_ns()) * 1e-9), limit_name(),
                   last_sign());
}

std::string WorkerMonitor::last_sign() const {
  const std::string where = " in stage " + stage_name();
  if (session_.last_message().empty()) return where + "; it never sent a message";
  return formatted("{}; its last message was {}, {} after its start", where,
                   session_.last_message(),
                   text::duration(static_cast<double>(last_message_ns_ - begin_ns_)));
}

}  // namespace stepbench::run
