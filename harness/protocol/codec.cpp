// SPDX-License-Identifier: Apache-2.0
#include "harness/protocol/messages.h"

#include <algorithm>
#include <utility>

#include "harness/base/error.h"
#include "harness/base/format.h"
#include "harness/json/line_object.h"
#include "harness/protocol/internal/fields.h"
#include "harness/record/fields.h"

namespace stepbench::protocol {
namespace {

constexpr std::size_t kMaxDepth = 7;  // nested lists and objects

[[noreturn]] void fail(const std::string& what) { throw Error("protocol: " + what); }

std::string shortened(std::string_view text) {
  constexpr std::size_t kShown = 80;
  return std::string(text.substr(0, kShown)) + (text.size() > kShown ? "..." : "");
}

json::LineParser::Line parse(std::string_view line, json::LineParser& parser) {
  if (line.size() > kMaxLineBytes) {
    fail(formatted("a line of {} bytes; the limit is {}", line.size(), kMaxLineBytes));
  }
  try {
    return parser.parse(line, json::LineParser::Padding::kNone);
  } catch (const json::LineError& error) {
    fail(formatted("{}: '{}'", error.what(), shortened(line)));
  }
}

std::string kind_of(const json::LineObject& line) {
  const auto kind = line.find("kind");
  const auto text = kind ? kind->text() : std::nullopt;
  if (!text) fail("a line without a 'kind'");
  return std::string(*text);
}

// Adds the line's kind to the error of a field.
template <typename Read>
auto reading(const std::string& kind, const Read& read) {
  try {
    return read();
  } catch (const json::UnknownName& error) {
    fail(formatted("'{}': field '{}' must be one of {}, is '{}'", kind, error.place(),
                   error.known(), shortened(error.name())));
  } catch (const json::LineError& error) {
    fail(formatted("'{}': {}", kind, error.what()));
  }
}

constexpr json::Reading kStrict{.nested = json::Nested::kRefused};

record::CycleSamples samples(json::LineParser::Line& line) {
  if (!line.object.find("cycle")) throw json::FieldError("cycle", "is missing");
  auto samples = json::read<record::CycleSamples>(line.object, {.numbers = &line.numbers});
  if (samples.steps.find("step_ns") == nullptr) {
    throw json::FieldError("columns", "is not complete: it has no 'step_ns'");
  }
  if (samples.steps.steps() > record::kMaxStepsPerSamplesRow) {
    throw json::LineError(
        formatted("field 'values' must be at most {} steps long", record::kMaxStepsPerSamplesRow));
  }
  return samples;
}

WorkerMessage message(const std::string& kind, json::LineParser::Line& line) {
  const json::LineObject& in = line.object;
  if (kind == "hello") return json::read<Hello>(in, kStrict);
  if (kind == "stage") return json::read<StageMessage>(in);
  if (kind == "cycle") return json::read<CycleMessage>(in);
  if (kind == "samples") return samples(line);
  if (kind == "ops") return json::read<ops::OpFrame>(in, {.numbers = &line.numbers});
  if (kind == "launch") return json::read<record::LaunchReport>(in, kStrict);
  if (kind == "skipped") return json::read<SkippedMessage>(in);
  if (kind == "failed") return json::read<FailedMessage>(in);
  fail(
      formatted("unknown kind '{}'; a worker sends hello, stage, cycle, samples, ops and one of "
                "launch, skipped, failed",
                shortened(kind)));
}

// Reads a line that must be of kind `wanted`.
template <typename T>
T read_kind(std::string_view line, const char* wanted) {
  json::LineParser parser(kMaxDepth);
  const json::LineObject in = parse(line, parser).object;
  const std::string kind = kind_of(in);
  if (kind != wanted) {
    fail(formatted("expected a line of kind '{}', got '{}'", wanted, shortened(kind)));
  }
  return reading(kind, [&] { return json::read<T>(in, kStrict); });
}

}  // namespace

// Text from a workload or an exception may be invalid UTF-8; the launch still succeeds.
std::string encode(const WorkerMessage& message) {
  return std::visit([](const auto& typed) { return json::object_text(typed); }, message);
}

std::string encode(const CaseMessage& message) { return json::object_text(message); }
std::string encode(const RuleFacts& facts) { return json::object_text(facts); }

CaseMessage decode_case(std::string_view line) {
  auto message = read_kind<CaseMessage>(line, "case");
  ResolvedCase& resolved = message.resolved;
  if (resolved.point_id.empty()) resolved.point_id = resolved.case_id;
  return message;
}

RuleFacts decode_facts(std::string_view line) { return read_kind<RuleFacts>(line, "facts"); }

std::string encode(const CheckAnswer& answer) { return json::object_text(answer); }

CheckAnswer decode_answer(std::string_view line) {
  auto answer = json::read_text<CheckAnswer>(std::string(line), kStrict);
  for (const auto& [name, value] : answer.schedule) {
    const auto* steps = std::get_if<std::int64_t>(&value);
    if (!name.starts_with("schedule.") || steps == nullptr || *steps < 0) {
      throw Error("'schedule' must hold numbers of steps by name, as in \"schedule.active\": 96");
    }
  }
  answer.options.merge(std::exchange(answer.schedule, {}));
  if (answer.kind != CheckAnswer::Kind::kOk && answer.reason.empty()) {
    throw Error("'reason' is missing beside skip or error");
  }
  return answer;
}

WorkerDecoder::WorkerDecoder() : parser_(std::make_unique<json::LineParser>(kMaxDepth)) {}
WorkerDecoder::~WorkerDecoder() = default;

WorkerMessage WorkerDecoder::decode(std::string_view line) {
  json::LineParser::Line parsed = parse(line, *parser_);
  const std::string kind = kind_of(parsed.object);
  return reading(kind, [&] { return message(kind, parsed); });
}

WorkerMessage decode_worker(std::string_view line) { return WorkerDecoder().decode(line); }

int agree(VersionRange ours, VersionRange theirs) {
  const int highest = std::min(ours.max, theirs.max);
  if (highest >= std::max(ours.min, theirs.min)) return highest;
  const auto spelled = [](VersionRange range) {
    return range.min == range.max ? std::to_string(range.min)
                                  : formatted("{} to {}", range.min, range.max);
  };
  throw Error(formatted("no protocol version in common: ours {}, theirs {}", spelled(ours),
                        spelled(theirs)));
}

}  // namespace stepbench::protocol
