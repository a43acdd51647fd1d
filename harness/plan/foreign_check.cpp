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

// They are no part of a case's identity, which stands when a worker is asked.
std::map<std::string, std::int64_t> schedule_of(const nlohmann::json& json) {
  std::map<std::string, std::int64_t> steps;
  const auto found = json.find("schedule");
  if (found == json.end()) return steps;
  for (const auto& [name, value] : found->items()) {
    if (!name.starts_with("schedule.") || !value.is_number_unsigned()) {
      throw Error("'schedule' must hold numbers of steps by name, as in \"schedule.active\": 96");
    }
    steps[name] = value.get<std::int64_t>();
  }
  return steps;
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
                     .schedule = schedule_of(json)};
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
