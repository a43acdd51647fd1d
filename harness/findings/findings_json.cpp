// SPDX-License-Identifier: Apache-2.0
#include "harness/findings/findings_json.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/json/line_error.h"

namespace stepbench {
namespace {

using Json = nlohmann::json;

[[noreturn]] void wrong(const std::string& member, const std::string& wanted) {
  throw LineError("field 'findings': member '" + member + "' must be " + wanted);
}

std::string text(const Json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end()) return {};
  if (!found->is_string()) wrong(member, "a string");
  return found->get<std::string>();
}

std::optional<double> number(const Json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end() || found->is_null()) return std::nullopt;
  if (!found->is_number()) wrong(member, "a number");
  return found->get<double>();
}

const Json* array(const Json& object, const char* member) {
  const auto found = object.find(member);
  if (found == object.end()) return nullptr;
  if (!found->is_array()) wrong(member, "an array");
  return &*found;
}

Finding finding_of(const Json& object) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!object.is_object()) throw LineError("field 'findings' must be an array of objects");
  Finding out{.id = text(object, "id"),
              .severity = severity_named(text(object, "severity")).value_or(Severity::kWarning),
              .text = text(object, "text"),
              .value = number(object, "value").value_or(kNone),
              .threshold = number(object, "threshold").value_or(kNone),
              .unit = text(object, "unit"),
              .share = number(object, "share"),
              .remedy = text(object, "remedy")};
  if (out.id.empty()) wrong("id", "a string that is not empty");
  if (const Json* evidence = array(object, "evidence")) {
    for (const Json& each : *evidence) {
      if (!each.is_string()) wrong("evidence", "an array of strings");
      out.evidence.push_back(each.get<std::string>());
    }
  }
  if (const Json* set = array(object, "set")) {
    for (const Json& each : *set) {
      if (!each.is_object()) wrong("set", "an array of {option, value}");
      out.set.push_back({.option = text(each, "option"), .value = text(each, "value")});
    }
  }
  return out;
}

}  // namespace

void add_members(JsonText& json, const Finding& finding) {
  json.text("id", finding.id).text("severity", name_of(finding.severity));
  json.text("text", finding.text).number("value", finding.value);
  json.number("threshold", finding.threshold).text("unit", finding.unit);
  if (finding.share) json.number("share", *finding.share);
  if (!finding.evidence.empty()) json.texts("evidence", finding.evidence);
  if (!finding.remedy.empty()) json.text("remedy", finding.remedy);
  if (finding.set.empty()) return;
  json.open_array("set");
  for (const auto& [option, value] : finding.set) {
    json.open_object().text("option", option).text("value", value).close_object();
  }
  json.close_array();
}

void add_findings(JsonText& json, std::string_view key, std::span<const Finding> findings) {
  json.open_array(key);
  for (const Finding& finding : findings) {
    json.open_object();
    add_members(json, finding);
    json.close_object();
  }
  json.close_array();
}

std::vector<Finding> decode_findings(std::string_view array) {
  const Json json = Json::parse(array, nullptr, false);
  if (!json.is_array()) throw LineError("field 'findings' must be an array of objects");
  std::vector<Finding> all;
  for (const Json& each : json) all.push_back(finding_of(each));
  return all;
}

}  // namespace stepbench
