// SPDX-License-Identifier: Apache-2.0
#include "harness/trace/header_values.h"

#include <algorithm>
#include <array>
#include <limits>

#include "harness/json/line_error.h"
#include "harness/json/line_object.h"
#include "harness/text/utf8.h"
#include "harness/trace/number_text.h"

namespace stepbench::trace {
namespace {

constexpr std::size_t kMaxValueBytes = 4096;
constexpr std::size_t kMaxValues = 256;
constexpr std::size_t kMaxDevices = 1024;
constexpr std::size_t kMaxLogLines = 1000;

std::optional<std::int64_t> integer_of(const json::LineObject& object, std::string_view field) {
  const std::optional<json::JsonView> value = object.find(field);
  return value ? integer_text(value->json()) : std::nullopt;
}

int small_of(const json::LineObject& object, std::string_view field) {
  const std::int64_t value = integer_of(object, field).value_or(0);
  return value < 0 || value > std::numeric_limits<int>::max() ? 0 : static_cast<int>(value);
}

std::string text_of(const json::LineObject& object, std::string_view field) {
  const std::optional<json::JsonView> value = object.find(field);
  if (!value) return {};
  const std::optional<std::string_view> text = value->text();
  return text ? std::string(*text) : std::string{};
}

ops::TraceDevice device_of(const json::LineObject& object) {
  return {.id = small_of(object, "id"),
          .name = text_of(object, "name"),
          .total_memory_bytes = integer_of(object, "totalGlobalMem").value_or(0),
          .compute_major = small_of(object, "computeMajor"),
          .compute_minor = small_of(object, "computeMinor"),
          .max_threads_per_block = small_of(object, "maxThreadsPerBlock"),
          .max_threads_per_multiprocessor = small_of(object, "maxThreadsPerMultiprocessor"),
          .registers_per_block = small_of(object, "regsPerBlock"),
          .warp_size = small_of(object, "warpSize"),
          .shared_memory_per_block = integer_of(object, "sharedMemPerBlock").value_or(0),
          .multiprocessors = small_of(object, "numSms")};
}

void take_devices(const json::JsonView& value, Trace& to) {
  const auto elements = value.elements();
  if (!elements) return;
  if (!to.devices.empty()) ++to.reading.duplicate_headers;
  for (const json::JsonView& element : *elements) {
    const std::optional<json::LineObject> object = element.object();
    if (object && to.devices.size() < kMaxDevices) to.devices.push_back(device_of(*object));
  }
}

void take_own(const json::LineObject& own, Trace& to) {
  to.own = true;
  for (const auto& [key, value] : own.members()) {
    if (key == "dropped") {
      to.dropped = integer_text(value.json()).value_or(0);
      continue;
    }
    const std::optional<std::string_view> text = value.text();
    to.own_facts.emplace_back(key, text ? std::string(*text) : value.json());
  }
}

void take_log(std::string_view level, const json::JsonView& value, Trace& to) {
  const auto lines = value.elements();
  if (!lines) return;
  for (const json::JsonView& line : *lines) {
    const std::optional<std::string_view> text = line.text();
    if (text && to.log_lines.size() < kMaxLogLines) {
      to.log_lines.push_back(std::string(level) + ": " + std::string(*text));
    }
  }
}

// Accepts 0 and 1, or false and true.
std::optional<bool> flag_of(const json::JsonView& value) {
  if (const std::optional<bool> flag = value.flag()) return flag;
  const std::optional<std::int64_t> number = value.integer();
  return number ? std::optional(*number != 0) : std::nullopt;
}

bool take_known(std::string_view key, const json::JsonView& value, Trace& to) {
  const std::array flags = {
      std::pair{"record_shapes", &to.with_shapes}, std::pair{"profile_memory", &to.with_memory},
      std::pair{"with_stack", &to.with_stack}, std::pair{"with_flops", &to.with_flops},
      std::pair{"with_modules", &to.with_modules}};
  for (const auto& [name, flag] : flags) {
    if (key != name) continue;
    *flag = flag_of(value);
    return true;
  }
  const std::string text(value.text().value_or(std::string_view{}));
  if (key == "schemaVersion") {
    to.schema = integer_text(value.json());
  } else if (key == "baseTimeNanoseconds") {
    to.base_ns = integer_text(value.json());
  } else if (key == "deviceProperties") {
    take_devices(value, to);
  } else if (key == "traceName") {
    to.trace_name = text;
  } else if (key == "host_name") {
    to.host_name = text;
  } else if (key == "INFO" || key == "WARNING" || key == "ERROR") {
    take_log(key, value, to);
  } else if (key == "distributedInfo") {
    const std::optional<json::LineObject> object = value.object();
    if (!object) return false;
    to.rank = integer_of(*object, "rank");
    to.world = integer_of(*object, "world_size");
    to.backend = text_of(*object, "backend");
  } else if (key == "stepbench") {
    const std::optional<json::LineObject> object = value.object();
    if (!object) return false;
    take_own(*object, to);
  } else {
    return false;
  }
  return true;
}

bool holds(const std::vector<std::string>& keys, std::string_view wanted) {
  return std::find(keys.begin(), keys.end(), wanted) != keys.end();
}

}  // namespace

void take_header_value(std::string_view key, std::string_view json, Trace& to) {
  json::LineParser parser;
  const std::string line = "{\"value\":" + std::string(json) + "}";
  try {
    const json::LineParser::Line parsed = parser.parse(line, json::LineParser::Padding::kNone);
    const std::optional<json::JsonView> value = parsed.object.find("value");
    if (value && take_known(key, *value, to)) return;
  } catch (const json::LineError&) {
    ++to.reading.damaged_headers;
  }
  if (to.header.size() >= kMaxValues) return;
  to.header.emplace_back(text::to_valid_utf8(key),
                         text::to_valid_utf8(json.substr(0, kMaxValueBytes)));
}

std::string kind_of_other_file(const std::vector<std::string>& keys) {
  if (holds(keys, "schema") && holds(keys, "nodes")) {
    return "an execution trace of PyTorch (ExecutionTraceObserver)";
  }
  if (holds(keys, "segments") || holds(keys, "device_traces")) {
    return "a memory snapshot of PyTorch";
  }
  if (holds(keys, "schema") && holds(keys, "version")) {
    return "a result file of stepbench; `stepbench show` reads those";
  }
  return {};
}

}  // namespace stepbench::trace
