// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "harness/base/error.h"
#include "harness/json/line_error.h"
#include "harness/json/line_object.h"
#include "harness/protocol/facts.h"
#include "harness/protocol/messages.h"
#include "harness/protocol/names.h"
#include "harness/record/decode_data.h"
#include "harness/record/encode.h"

namespace stepbench::protocol {
namespace {

constexpr std::size_t kMaxDepth = 7;  // of lists and objects in each other

[[noreturn]] void fail(const std::string& what) { throw Error("protocol: " + what); }

std::string shortened(std::string_view text) {
  constexpr std::size_t kShown = 80;
  return std::string(text.substr(0, kShown)) + (text.size() > kShown ? "..." : "");
}

json::LineParser::Line parse(std::string_view line, json::LineParser& parser) {
  if (line.size() > kMaxLineBytes) {
    fail("a line of " + std::to_string(line.size()) + " bytes; the limit is " +
         std::to_string(kMaxLineBytes));
  }
  try {
    return parser.parse(line, json::LineParser::Padding::kNone);
  } catch (const json::LineError& error) {
    fail(std::string(error.what()) + ": '" + shortened(line) + "'");
  }
}

std::string kind_of(const json::LineObject& line) {
  const auto kind = line.find("kind");
  const auto text = kind ? kind->text() : std::nullopt;
  if (!text) fail("a line without a 'kind'");
  return std::string(*text);
}

// What is wrong with one field is said with the kind of its line.
template <typename Read>
auto reading(const std::string& kind, const Read& read) {
  try {
    return read();
  } catch (const json::LineError& error) {
    fail("'" + kind + "': " + error.what());
  }
}

// A field that must be there.
json::JsonView needed(const json::LineObject& in, const char* field) {
  const auto value = in.find(field);
  if (!value) throw json::LineError(std::string("there is no field '") + field + "'");
  return *value;
}

std::string needed_text(const json::LineObject& in, const char* field) {
  (void)needed(in, field);
  return in.text(field);
}

std::int64_t needed_integer(const json::LineObject& in, const char* field) {
  (void)needed(in, field);
  return in.integer(field);
}

VersionRange versions(const json::LineObject& in) {
  const json::JsonView value = needed(in, "protocol");
  const auto ends = value.elements();
  if (!ends || ends->size() != 2) json::wrong_type("protocol", "[min, max]", value);
  const std::int64_t min = (*ends)[0].integer().value_or(0);
  const std::int64_t max = (*ends)[1].integer().value_or(0);
  if (min < 1 || max < min || max > std::numeric_limits<int>::max()) {
    json::wrong_type("protocol", "[min, max]", value);
  }
  return {static_cast<int>(min), static_cast<int>(max)};
}

template <typename Enum, std::size_t n>
Enum one_of(const json::LineObject& in,
            const std::array<std::pair<Enum, std::string_view>, n>& names, const char* field) {
  const std::string spelled = needed_text(in, field);
  std::string wanted;
  for (const auto& [id, name] : names) {
    if (name == spelled) return id;
    wanted.append(wanted.empty() ? "one of " : ", ").append(name);
  }
  throw json::LineError("field '" + std::string(field) + "' must be " + wanted + ", is '" +
                        shortened(spelled) + "'");
}

std::array<std::pair<Pass, std::string_view>, 4> pass_names() {
  const auto named = [](Pass pass) { return std::pair(pass, stepbench::record::name_of(pass)); };
  return {named(Pass::kTiming), named(Pass::kNative), named(Pass::kKineto), named(Pass::kWrapped)};
}

Hello hello(const json::LineObject& in) {
  return {.protocol = versions(in),
          .build_id = needed_text(in, "build_id"),
          .catalogue_digest = in.text("catalogue_digest"),
          .pid = needed_integer(in, "pid"),
          .software = in.fields("software", json::Nested::kRefused)};
}

CycleMessage cycle(const json::LineObject& in) {
  // Older workers send a median.
  const char* step_ns = in.find("mean_step_ns") ? "mean_step_ns" : "median_step_ns";
  return {.cycle = needed_integer(in, "cycle"),
          .steps = needed_integer(in, "steps"),
          .mean_step_ns = needed_integer(in, step_ns)};
}

record::CycleSamples samples(json::LineParser::Line& line) {
  (void)needed(line.object, "cycle");
  record::CycleSamples samples = record::decode_samples(line);
  if (samples.steps.find("step_ns") == nullptr) {
    throw json::LineError("field 'columns' is not complete: it has no 'step_ns'");
  }
  if (samples.steps.steps() > record::kMaxStepsPerSamplesRow) {
    throw json::LineError("field 'values' must be at most " +
                          std::to_string(record::kMaxStepsPerSamplesRow) + " steps long");
  }
  return samples;
}

WorkerMessage message(const std::string& kind, json::LineParser::Line& line) {
  const json::LineObject& in = line.object;
  if (kind == "hello") return hello(in);
  if (kind == "stage") {
    return StageMessage{one_of(in, kStageNames, "stage"), in.integer("steps", 0),
                        in.integer("step_ns", 0), in.text("device_pci")};
  }
  if (kind == "cycle") return cycle(in);
  if (kind == "samples") return samples(line);
  if (kind == "ops") return record::decode_frame(line);
  if (kind == "launch") return record::decode_report(in, json::Nested::kRefused);
  if (kind == "skipped") return SkippedMessage{needed_text(in, "reason")};
  if (kind == "failed") {
    return FailedMessage{needed_text(in, "message"), one_of(in, kStageNames, "stage")};
  }
  fail("unknown kind '" + shortened(kind) +
       "'; a worker sends hello, stage, cycle, samples, ops and one of launch, skipped, failed");
}

// Reads a line that must be of kind `wanted`.
template <typename Read>
auto read_kind(std::string_view line, const char* wanted, const Read& read) {
  json::LineParser parser(kMaxDepth);
  const json::LineObject in = parse(line, parser).object;
  const std::string kind = kind_of(in);
  if (kind != wanted) {
    fail(std::string("expected a line of kind '") + wanted + "', got '" + shortened(kind) + "'");
  }
  return reading(kind, [&] { return read(in); });
}

}  // namespace

CaseMessage decode_case(std::string_view line) {
  return read_kind(line, "case", [](const json::LineObject& in) {
    CaseMessage out;
    out.protocol = versions(in);
    out.resolved.case_id = needed_text(in, "case_id");
    out.resolved.point_id = in.text("point_id");
    if (out.resolved.point_id.empty()) out.resolved.point_id = out.resolved.case_id;
    out.resolved.workload = needed_text(in, "workload");
    out.resolved.options = OptionValues(in.fields("options", json::Nested::kRefused));
    if (in.find("pass")) out.pass = one_of(in, pass_names(), "pass");
    out.launch = in.count("launch");
    out.rank = in.count("rank");
    out.world = in.count("world", 1);
    out.smoke = in.flag("smoke");
    out.run_dir = in.text("run_dir");
    out.shared_memory_prefix = in.text("shared_memory_prefix");
    return out;
  });
}

RuleFacts decode_facts(std::string_view line) {
  return read_kind(line, "facts", [](const json::LineObject& in) {
    RuleFacts out;
    out.cuda_available = in.flag("cuda_available");
    out.device_auto = in.flag("device_auto");
    out.swept = in.flag("swept");
    out.cores = in.count("cores", out.cores);
    out.smoke = in.flag("smoke");
    return out;
  });
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
                                  : std::to_string(range.min) + " to " + std::to_string(range.max);
  };
  throw Error("no protocol version in common: ours " + spelled(ours) + ", theirs " +
              spelled(theirs));
}

}  // namespace stepbench::protocol
