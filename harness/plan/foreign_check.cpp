// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/foreign_check.h"

#include <nlohmann/json.hpp>

#include "harness/base/error.h"

namespace stepbench::plan {
namespace {

std::string text_field(const nlohmann::json& json, const char* field) {
  const auto found = json.find(field);
  if (found == json.end()) return {};
  if (!found->is_string()) throw Error("'" + std::string(field) + "' must be a text");
  return found->get<std::string>();
}

Value value_of(const nlohmann::json& json) {
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  throw Error("'options' must hold single values by name, as in \"loader.engine\": \"thread\"");
}

// "schedule" holds those that workers could change first.
Fields options_of(const nlohmann::json& json) {
  Fields options;
  if (const auto found = json.find("schedule"); found != json.end()) {
    for (const auto& [name, value] : found->items()) {
      if (!name.starts_with("schedule.") || !value.is_number_unsigned()) {
        throw Error("'schedule' must hold numbers of steps by name, as in \"schedule.active\": 96");
      }
      options[name] = value.get<std::int64_t>();
    }
  }
  if (const auto found = json.find("options"); found != json.end()) {
    if (!found->is_object()) throw Error("'options' must be an object");
    for (const auto& [name, value] : found->items()) options[name] = value_of(value);
  }
  return options;
}

CheckAnswer::Kind kind_named(const std::string& name) {
  if (name == "ok") return CheckAnswer::Kind::kOk;
  if (name == "skip") return CheckAnswer::Kind::kSkip;
  if (name == "error") return CheckAnswer::Kind::kError;
  throw Error("'answer' must be ok, skip or error, found '" + name + "'");
}

}  // namespace

CheckAnswer check_answer_from_json(std::string_view line) {
  const auto json = nlohmann::json::parse(line.begin(), line.end(), nullptr, false);
  if (!json.is_object()) throw Error("an answer must be one JSON object in one line");
  CheckAnswer answer{.kind = kind_named(text_field(json, "answer")),
                     .option = text_field(json, "option"),
                     .reason = text_field(json, "reason"),
                     .notes = {},
                     .options = options_of(json)};
  if (const auto notes = json.find("notes"); notes != json.end() && notes->is_array()) {
    for (const auto& note : *notes) {
      if (note.is_string()) answer.notes.push_back(note.get<std::string>());
    }
  }
  if (answer.kind != CheckAnswer::Kind::kOk && answer.reason.empty()) {
    throw Error("'reason' is missing beside skip or error");
  }
  return answer;
}

}  // namespace stepbench::plan
