// SPDX-License-Identifier: Apache-2.0
#include "harness/estimate/measured_alone.h"

#include <algorithm>
#include <string>

namespace stepbench::estimate {
namespace {

constexpr std::string_view kAlone = "loader.alone";

bool is_set(const CaseRow& row, std::string_view option) {
  const Value* value = row.option(option);
  return value != nullptr && !is_null(*value) && *value != Value{std::string("none")};
}

// The warm-up aside, which is raised where batches are kept.
bool same_but_for_alone(const CaseRow& a, const CaseRow& b) {
  const auto differs = [](const CaseRow& one, const CaseRow& other) {
    for (const auto& [name, value] : one.options()) {
      if (is_null(value) || name == kAlone || name == "schedule.warmup") continue;
      const Value* theirs = other.option(name);
      if (theirs == nullptr || *theirs != value) return true;
    }
    return false;
  };
  return a.workload == b.workload && !differs(a, b) && !differs(b, a);
}

}  // namespace

bool is_alone(const CaseRow& row) { return is_set(row, kAlone) || is_set(row, "loader.replay"); }

bool is_timed(const CaseRow& row) {
  return row.step_ns && !row.smoke && row.pass == Pass::kTiming && row.arm.empty();
}

const CaseRow* find_alone(const std::vector<CaseRow>& rows, const CaseRow& both,
                          std::string_view part) {
  const auto found = std::ranges::find_if(rows, [&](const CaseRow& row) {
    const Value* value = row.option(kAlone);
    return value != nullptr && *value == Value{std::string(part)} && is_timed(row) &&
           same_but_for_alone(row, both);
  });
  return found == rows.end() ? nullptr : &*found;
}

}  // namespace stepbench::estimate
