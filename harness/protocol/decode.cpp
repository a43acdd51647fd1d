// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "harness/base/error.h"
#include "harness/findings/findings_json.h"
#include "harness/protocol/facts.h"
#include "harness/protocol/messages.h"
#include "harness/protocol/names.h"
#include "harness/record/decode.h"
#include "harness/record/encode.h"

namespace stepbench::protocol {
namespace {

using Json = nlohmann::json;

constexpr int kMaxDepth = 6;

[[noreturn]] void fail(const std::string& what) { throw Error("protocol: " + what); }

std::string shortened(std::string_view text) {
  constexpr std::size_t kShown = 80;
  return std::string(text.substr(0, kShown)) + (text.size() > kShown ? "..." : "");
}

Json parse(std::string_view line) {
  if (line.size() > kMaxLineBytes) {
    fail("a line of " + std::to_string(line.size()) + " bytes; the limit is " +
         std::to_string(kMaxLineBytes));
  }
  const auto limit_depth = [](int depth, Json::parse_event_t, Json&) {
    if (depth > kMaxDepth) fail("values nested more than " + std::to_string(kMaxDepth) + " deep");
    return true;
  };
  try {
    Json json = Json::parse(line, limit_depth);
    if (!json.is_object()) fail("expected a JSON object, got '" + shortened(line) + "'");
    return json;
  } catch (const Json::exception&) {
    fail("not a line of JSON: '" + shortened(line) + "'");
  }
}

// One message's fields; every error names the kind and the field.
class Reader {
 public:
  Reader(const Json& object, std::string kind) : object_(object), kind_(std::move(kind)) {}

  [[nodiscard]] const Json* find(const char* field) const {
    const auto found = object_.find(field);
    return found == object_.end() ? nullptr : &*found;
  }
  [[nodiscard]] const Json& at(const char* field) const {
    if (const Json* found = find(field)) return *found;
    fail("'" + kind_ + "' has no field '" + field + "'");
  }
  [[noreturn]] void wrong(const std::string& field, const std::string& wanted) const {
    fail("'" + kind_ + "': field '" + field + "' is not " + wanted);
  }

  [[nodiscard]] std::int64_t integer(const Json& json, const std::string& field) const {
    if (!json.is_number_integer()) wrong(field, "an integer");
    if (json.is_number_unsigned() && json.get<std::uint64_t>() > kMaxInteger) {
      wrong(field, "a 64-bit signed integer");
    }
    return json.get<std::int64_t>();
  }
  [[nodiscard]] std::int64_t integer(const char* field) const { return integer(at(field), field); }
  [[nodiscard]] int small(const char* field, int absent) const {
    const Json* json = find(field);
    if (json == nullptr) return absent;
    const std::int64_t number = integer(*json, field);
    if (number < 0 || number > std::numeric_limits<int>::max()) wrong(field, "a count");
    return static_cast<int>(number);
  }
  [[nodiscard]] std::string text(const Json& json, const std::string& field) const {
    if (!json.is_string()) wrong(field, "a string");
    return json.get<std::string>();
  }
  [[nodiscard]] std::string text(const char* field) const { return text(at(field), field); }
  [[nodiscard]] std::string text_or_empty(const char* field) const {
    const Json* json = find(field);
    return json == nullptr ? std::string() : text(*json, field);
  }
  [[nodiscard]] bool flag(const char* field) const {
    const Json* json = find(field);
    if (json == nullptr) return false;
    if (!json->is_boolean()) wrong(field, "true or false");
    return json->get<bool>();
  }
  [[nodiscard]] std::vector<std::string> texts(const char* field) const {
    std::vector<std::string> out;
    const Json* json = find(field);
    if (json == nullptr) return out;
    if (!json->is_array()) wrong(field, "an array of strings");
    for (const Json& entry : *json) out.push_back(text(entry, field));
    return out;
  }
  [[nodiscard]] VersionRange versions() const {
    const Json& json = at("protocol");
    if (!json.is_array() || json.size() != 2) wrong("protocol", "[min, max]");
    const std::int64_t min = integer(json[0], "protocol");
    const std::int64_t max = integer(json[1], "protocol");
    if (min < 1 || max < min || max > std::numeric_limits<int>::max())
      wrong("protocol", "[min, max]");
    return {static_cast<int>(min), static_cast<int>(max)};
  }
  [[nodiscard]] Value value(const Json& json, const std::string& field) const {
    switch (json.type()) {
      case Json::value_t::null:
        return {};
      case Json::value_t::boolean:
        return json.get<bool>();
      case Json::value_t::number_integer:
      case Json::value_t::number_unsigned:
        return integer(json, field);
      case Json::value_t::number_float:
        return json.get<double>();
      case Json::value_t::string:
        return json.get<std::string>();
      default:
        wrong(field, "null, true, false, a number or a string");
    }
  }
  [[nodiscard]] const Json* object_or_null(const char* field) const {
    const Json* json = find(field);
    if (json != nullptr && !json->is_object()) wrong(field, "an object");
    return json;
  }
  [[nodiscard]] Fields fields(const char* field) const {
    Fields out;
    if (const Json* json = object_or_null(field)) {
      for (const auto& [name, entry] : json->items()) {
        out.emplace(name, value(entry, std::string(field) + "." + name));
      }
    }
    return out;
  }
  // One array of integers for each name, all of one length.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> columns(
      const char* field, const std::vector<std::string>& names) const {
    const Json& values = at(field);
    if (!values.is_array() || values.size() != names.size()) {
      wrong(field, "an array with one array for each column");
    }
    std::vector<std::vector<std::int64_t>> out;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::string place = "values of " + names[i];
      if (!values[i].is_array()) wrong(place, "an array");
      if (values[i].size() != values[0].size()) wrong(place, "as long as the other columns");
      std::vector<std::int64_t>& column = out.emplace_back();
      column.reserve(values[i].size());
      for (const Json& entry : values[i]) column.push_back(integer(entry, place));
    }
    return out;
  }
  template <typename Enum, std::size_t n>
  [[nodiscard]] Enum one_of(const std::array<std::pair<Enum, std::string_view>, n>& names,
                            const char* field) const {
    const std::string spelled = text(field);
    std::string wanted;
    for (const auto& [id, name] : names) {
      if (name == spelled) return id;
      wanted.append(wanted.empty() ? "one of " : ", ").append(name);
    }
    wrong(field, wanted);
  }

 private:
  static constexpr auto kMaxInteger =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const Json& object_;
  std::string kind_;
};

std::string kind_of(const Json& json) {
  const auto kind = json.find("kind");
  if (kind == json.end() || !kind->is_string()) fail("a line without a 'kind'");
  return kind->get<std::string>();
}

std::array<std::pair<Pass, std::string_view>, 4> pass_names() {
  const auto named = [](Pass pass) { return std::pair(pass, stepbench::name_of(pass)); };
  return {named(Pass::kTiming), named(Pass::kNative), named(Pass::kKineto), named(Pass::kWrapped)};
}

Hello hello(const Reader& in) {
  return {in.versions(), in.text("build_id"), in.text_or_empty("catalogue_digest"),
          in.integer("pid"), in.fields("software")};
}

Samples samples(const Reader& in) {
  Samples out;
  Series& steps = out.steps;
  out.cycle = in.integer("cycle");
  steps.names = in.texts("columns");
  if (std::set<std::string>(steps.names.begin(), steps.names.end()).size() != steps.names.size()) {
    in.wrong("columns", "a list of different names");
  }
  if (std::find(steps.names.begin(), steps.names.end(), "step_ns") == steps.names.end()) {
    in.wrong("columns", "complete: it has no 'step_ns'");
  }
  steps.columns = in.columns("values", steps.names);
  if (steps.steps() > kMaxStepsPerSamplesRow) {
    in.wrong("values", "at most " + std::to_string(kMaxStepsPerSamplesRow) + " steps long");
  }
  return out;
}

OpsMessage ops(const Reader& in) {
  OpFrame frame;
  frame.table = in.text("table");
  frame.strings = in.texts("strings");
  frame.series.names = in.texts("columns");
  frame.series.columns = in.columns("values", frame.series.names);
  return {std::move(frame)};
}

LaunchMessage launch(const Reader& in) {
  LaunchReport report;
  report.effective = in.fields("effective");
  report.schedule = in.fields("schedule");
  report.fingerprint = in.fields("fingerprint");
  report.flags = in.texts("flags");
  report.notes = in.texts("notes");
  if (const Json* metrics = in.object_or_null("metrics")) {
    for (const auto& [name, entry] : metrics->items()) {
      if (!entry.is_null() && !entry.is_number()) in.wrong("metrics." + name, "a number or null");
      report.metrics.emplace(
          name, entry.is_null() ? std::nullopt : std::optional<double>(entry.get<double>()));
    }
  }
  if (const Json* findings = in.find("findings")) {
    try {
      report.findings = decode_findings(findings->dump());
    } catch (const LineError& error) {
      fail(std::string("'launch': ") + error.what());
    }
  }
  return {std::move(report)};
}

}  // namespace

CaseMessage decode_case(std::string_view line) {
  const Json json = parse(line);
  const std::string kind = kind_of(json);
  if (kind != "case") fail("expected a line of kind 'case', got '" + shortened(kind) + "'");
  const Reader in(json, kind);
  CaseMessage out;
  out.protocol = in.versions();
  out.resolved.case_id = in.text("case_id");
  out.resolved.point_id = in.text_or_empty("point_id");
  if (out.resolved.point_id.empty()) out.resolved.point_id = out.resolved.case_id;
  out.resolved.workload = in.text("workload");
  out.resolved.options = in.fields("options");
  if (in.find("pass") != nullptr) out.pass = in.one_of(pass_names(), "pass");
  out.launch = in.small("launch", 0);
  out.rank = in.small("rank", 0);
  out.world = in.small("world", 1);
  out.smoke = in.flag("smoke");
  out.run_dir = in.text_or_empty("run_dir");
  out.shared_memory_prefix = in.text_or_empty("shared_memory_prefix");
  return out;
}

RuleFacts decode_facts(std::string_view line) {
  const Json json = parse(line);
  const std::string kind = kind_of(json);
  if (kind != "facts") fail("expected a line of kind 'facts', got '" + shortened(kind) + "'");
  const Reader in(json, kind);
  RuleFacts out;
  out.cuda_available = in.flag("cuda_available");
  out.device_auto = in.flag("device_auto");
  out.swept = in.flag("swept");
  out.cores = in.small("cores", out.cores);
  out.smoke = in.flag("smoke");
  return out;
}

WorkerMessage decode_worker(std::string_view line) {
  const Json json = parse(line);
  const std::string kind = kind_of(json);
  const Reader in(json, kind);
  if (kind == "hello") return hello(in);
  if (kind == "stage") return StageMessage{in.one_of(kStageNames, "stage")};
  if (kind == "cycle") {
    const char* step_ns =
        in.find("mean_step_ns") != nullptr ? "mean_step_ns" : "median_step_ns";  // of older workers
    return CycleMessage{in.integer("cycle"), in.integer("steps"), in.integer(step_ns)};
  }
  if (kind == "samples") return samples(in);
  if (kind == "ops") return ops(in);
  if (kind == "launch") return launch(in);
  if (kind == "skipped") return SkippedMessage{in.text("reason")};
  if (kind == "failed") return FailedMessage{in.text("message"), in.one_of(kStageNames, "stage")};
  fail("unknown kind '" + shortened(kind) +
       "'; a worker sends hello, stage, cycle, samples, ops and one of launch, skipped, failed");
}

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
