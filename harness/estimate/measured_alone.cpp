// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/measured_alone.h"

#include <variant>

namespace stepbench::estimate {
namespace {

constexpr std::string_view kAlone = "loader.alone";

bool is_set(const CaseRow& row, std::string_view option) {
  const Value* value = row.option(option);
  return value != nullptr && !is_null(*value) && *value != Value{std::string("none")};
}

// Key of the case whose part is measured alone. Excludes the warm-up, which is raised when batches
// are kept.
std::string case_key(const CaseRow& row, std::string_view part) {
  std::string key = std::string(part) + '\n' + row.workload;
  std::map<std::string_view, const Value*> options;
  for (const auto& [name, value] : row.options()) {
    if (!is_null(value) && name != kAlone && name != "schedule.warmup") options[name] = &value;
  }
  for (const auto& [name, value] : options) {
    key.append("\n").append(name).append("=").append(to_text(*value));
  }
  return key;
}

}  // namespace

bool is_standalone(const CaseRow& row) {
  return is_set(row, kAlone) || is_set(row, "loader.replay");
}

bool is_timed(const CaseRow& row) {
  return row.step_ns && !row.smoke && row.pass == Pass::kTiming && row.arm.empty();
}

StandaloneCases::StandaloneCases(const std::vector<CaseRow>& rows) {
  for (const CaseRow& row : rows) {
    const Value* value = row.option(kAlone);
    const std::string* part = value == nullptr ? nullptr : std::get_if<std::string>(value);
    if (part != nullptr && is_timed(row)) by_case_.emplace(case_key(row, *part), &row);
  }
}

const CaseRow* StandaloneCases::find(const CaseRow& both, std::string_view part) const {
  if (by_case_.empty()) return nullptr;
  const auto found = by_case_.find(case_key(both, part));
  return found == by_case_.end() ? nullptr : found->second;
}

}  // namespace stepbench::estimate
