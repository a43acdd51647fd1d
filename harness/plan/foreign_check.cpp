// SPDX-License-Identifier: Apache-2.0
#include "harness/plan/foreign_check.h"

#include "harness/base/error.h"
#include "harness/json/line_object.h"

namespace stepbench::plan {
namespace {

// "schedule" was the first field for changed options; it only holds step counts.
Fields options_of(const json::LineObject& answer) {
  Fields options = answer.fields("schedule", json::Nested::kRefused);
  for (const auto& [name, value] : options) {
    const auto* steps = std::get_if<std::int64_t>(&value);
    if (!name.starts_with("schedule.") || steps == nullptr || *steps < 0) {
      throw Error("'schedule' must hold numbers of steps by name, as in \"schedule.active\": 96");
    }
  }
  for (const auto& [name, value] : answer.fields("options", json::Nested::kRefused)) {
    options[name] = value;
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
  const std::string text(line);  // NUL-terminated for the parser
  json::LineParser parser;
  const json::LineObject fields = parser.parse(text, json::LineParser::Padding::kNone).object;
  CheckAnswer answer{.kind = kind_named(fields.text("answer")),
                     .option = fields.text("option"),
                     .reason = fields.text("reason"),
                     .notes = fields.texts("notes"),
                     .plan_notes = fields.texts("plan_notes"),
                     .options = options_of(fields)};
  if (answer.kind != CheckAnswer::Kind::kOk && answer.reason.empty()) {
    throw Error("'reason' is missing beside skip or error");
  }
  return answer;
}

}  // namespace stepbench::plan
