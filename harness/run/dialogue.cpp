// SPDX-License-Identifier: Apache-2.0
#include "harness/run/dialogue.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/ops/op_table.h"
#include "harness/text/utf8.h"

namespace stepbench {
namespace {

constexpr std::size_t kQuotedBytes = 120;

std::string quote(std::string_view line) {
  std::string text = to_valid_utf8(line.substr(0, kQuotedBytes));
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  return "\"" + text + (line.size() > kQuotedBytes ? "...\"" : "\"");
}

}  // namespace

void Dialogue::receive(std::string_view bytes) {
  if (complaint_) return;
  bytes_ += bytes.size();
  if (bytes_ > max_bytes_) {
    complaint_ =
        "the worker sent more than " + std::to_string(max_bytes_ >> 20) + " MiB of messages";
    return;
  }
  std::string_view line;
  try {
    lines_.append(bytes);
    while (!complaint_) {
      const auto next = lines_.next();
      if (!next) break;
      line = *next;
      ++messages_;
      protocol::WorkerMessage message = protocol::decode_worker(line);
      if (!hello_ && !std::holds_alternative<protocol::Hello>(message)) {
        throw Error("the first message must be `hello`");
      }
      if (final_) throw Error("nothing may follow the final line");
      std::visit([this](auto&& value) { handle(std::forward<decltype(value)>(value)); },
                 std::move(message));
      line = {};
    }
  } catch (const Error& error) {
    const std::string number = std::to_string(std::max<std::uint64_t>(messages_, 1));
    complaint_ =
        "message " + number + " of the worker breaks the protocol: " + to_valid_utf8(error.what());
    if (!line.empty()) *complaint_ += ": " + quote(line);
  }
}

void Dialogue::handle(protocol::Hello&& message) {
  if (hello_) throw Error("`hello` may come only once");
  try {
    static_cast<void>(protocol::agree(protocol::kSupported, message.protocol));
  } catch (const Error& error) {
    complaint_ = std::string{"the worker is of another version: "} + error.what();
    return;
  }
  hello_ = std::move(message);
  stage_ = protocol::name_of(protocol::Stage::kSetUp);
}

void Dialogue::handle(protocol::StageMessage&& message) {
  stage_ = protocol::name_of(message.stage);
}

void Dialogue::handle(protocol::CycleMessage&& message) {
  last_cycle_step_ns_ = message.mean_step_ns;
  ++cycles_;
}

void Dialogue::handle(protocol::SamplesMessage&& message) {
  samples_.push_back(std::move(message));
}

void Dialogue::handle(protocol::OpsMessage&& message) {
  static_cast<void>(op_table_of({&message.frame, 1}));  // throws when it does not fit together
  ops_.push_back(std::move(message.frame));
}

void Dialogue::handle(protocol::LaunchMessage&& message) {
  report_ = std::move(message.report);
  final_ = Outcome::measured();
}

void Dialogue::handle(protocol::SkippedMessage&& message) {
  final_ = Outcome::skipped(std::move(message.reason));
}

void Dialogue::handle(protocol::FailedMessage&& message) {
  stage_ = protocol::name_of(message.stage);
  final_ = Outcome::failed(std::move(message.message));
}

}  // namespace stepbench
