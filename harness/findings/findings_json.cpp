// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/findings_json.h"

#include <limits>
#include <string>

#include "harness/json/line_error.h"
#include "harness/json/line_object.h"

namespace stepbench::findings {
namespace {

constexpr std::string_view kLowConfidence = "low";

[[noreturn]] void wrong(const std::string& member, const std::string& wanted) {
  throw json::LineError("field 'findings': member '" + member + "' must be " + wanted);
}

std::string text(const json::LineObject& object, const char* member) {
  const auto found = object.find(member);
  if (!found) return {};
  const auto view = found->text();
  if (!view) wrong(member, "a string");
  return std::string(*view);
}

std::optional<double> number(const json::LineObject& object, const char* member) {
  const auto found = object.find(member);
  if (!found || found->is_null()) return std::nullopt;
  const auto number = found->number();
  if (!number) wrong(member, "a number");
  return number;
}

std::optional<std::int64_t> whole(const json::LineObject& object, const char* member) {
  const auto found = object.find(member);
  if (!found || found->is_null()) return std::nullopt;
  const auto number = found->integer();
  if (!number) wrong(member, "a whole number");
  return number;
}

std::vector<json::JsonView> array(const json::LineObject& object, const char* member) {
  const auto found = object.find(member);
  if (!found) return {};
  auto elements = found->elements();
  if (!elements) wrong(member, "an array");
  return std::move(*elements);
}

Finding finding_of(const json::JsonView& view) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  const auto object = view.object();
  if (!object) throw json::LineError("field 'findings' must be an array of objects");
  Finding out{.id = text(*object, "id"),
              .severity = severity_named(text(*object, "severity")).value_or(Severity::kWarning),
              .text = text(*object, "text"),
              .value = number(*object, "value").value_or(kNone),
              .threshold = number(*object, "threshold").value_or(kNone),
              .unit = text(*object, "unit"),
              .share = number(*object, "share"),
              .remedy = text(*object, "remedy")};
  if (out.id.empty()) wrong("id", "a string that is not empty");
  for (const json::JsonView& each : array(*object, "evidence")) {
    const auto evidence = each.text();
    if (!evidence) wrong("evidence", "an array of strings");
    out.evidence.emplace_back(*evidence);
  }
  out.gain_ns = number(*object, "gain_ns");
  out.window = text(*object, "window");
  out.low_confidence = text(*object, "confidence") == kLowConfidence;
  out.undecided = text(*object, "undecided");
  for (const json::JsonView& each : array(*object, "places")) {
    const auto place = each.object();
    if (!place) wrong("places", "an array of {name, at_ns, duration_ns, step}");
    if (out.places.size() == kMaxPlaces) break;
    out.places.push_back({.name = text(*place, "name"),
                          .at_ns = whole(*place, "at_ns").value_or(0),
                          .duration_ns = whole(*place, "duration_ns").value_or(0),
                          .step = whole(*place, "step").value_or(-1)});
  }
  for (const json::JsonView& each : array(*object, "set")) {
    const auto setting = each.object();
    if (!setting) wrong("set", "an array of {option, value}");
    out.set.push_back({.option = text(*setting, "option"), .value = text(*setting, "value")});
  }
  return out;
}

}  // namespace

void add_members(json::JsonText& json, const Finding& finding) {
  json.text("id", finding.id).text("severity", name_of(finding.severity));
  json.text("text", finding.text).number("value", finding.value);
  json.number("threshold", finding.threshold).text("unit", finding.unit);
  if (finding.share) json.number("share", *finding.share);
  if (!finding.evidence.empty()) json.texts("evidence", finding.evidence);
  if (!finding.remedy.empty()) json.text("remedy", finding.remedy);
  if (!finding.set.empty()) {
    json.open_array("set");
    for (const auto& [option, value] : finding.set) {
      json.open_object().text("option", option).text("value", value).close_object();
    }
    json.close_array();
  }
  if (finding.gain_ns) json.number("gain_ns", *finding.gain_ns);
  if (!finding.window.empty()) json.text("window", finding.window);
  if (finding.low_confidence) json.text("confidence", kLowConfidence);
  if (!finding.undecided.empty()) json.text("undecided", finding.undecided);
  if (finding.places.empty()) return;
  json.open_array("places");
  for (const Finding::Place& place : finding.places) {
    json.open_object().text("name", place.name).integer("at_ns", place.at_ns);
    json.integer("duration_ns", place.duration_ns);
    if (place.step >= 0) json.integer("step", place.step);
    json.close_object();
  }
  json.close_array();
}

void add_findings(json::JsonText& json, std::string_view key, std::span<const Finding> findings) {
  json.open_array(key);
  for (const Finding& finding : findings) {
    json.open_object();
    add_members(json, finding);
    json.close_object();
  }
  json.close_array();
}

std::vector<Finding> decode_findings(const json::JsonView& array) {
  const auto elements = array.elements();
  if (!elements) throw json::LineError("field 'findings' must be an array of objects");
  std::vector<Finding> all;
  for (const json::JsonView& each : *elements) all.push_back(finding_of(each));
  return all;
}

}  // namespace stepbench::findings
