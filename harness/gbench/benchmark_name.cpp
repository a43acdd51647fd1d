// SPDX-License-Identifier: Apache-2.0
#include "harness/gbench/benchmark_name.h"

#include <map>
#include <set>
#include <string_view>

#include "harness/base/value.h"
#include "harness/estimate/case_rows.h"

namespace stepbench {
namespace {

constexpr std::size_t kMostValueBytes = 80;

std::string harmless(std::string_view text) {
  constexpr std::string_view kAllowed = "_-.";
  std::string name;
  for (const char c : text.substr(0, kMostValueBytes)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    name += plain || kAllowed.find(c) != std::string_view::npos ? c : '_';
  }
  return name;
}

std::string name_of(const PlannedCase& planned, const std::vector<std::string>& varying) {
  std::string name = harmless(planned.resolved.workload);
  for (const std::string& option : varying) {
    const auto value = planned.resolved.options.find(option);
    if (value == planned.resolved.options.end() || is_null(value->second)) continue;
    name += '/' + harmless(short_name(option, varying)) + ':' + harmless(to_text(value->second));
  }
  return name;
}

}  // namespace

std::vector<std::string> benchmark_names(const Plan& plan) {
  std::vector<std::string> names;
  std::map<std::string, int> uses;
  for (const PlannedCase& planned : plan.cases) {
    names.push_back(name_of(planned, plan.varying));
    ++uses[names.back()];
  }
  std::set<std::string> ids;
  for (const PlannedCase& planned : plan.cases) ids.insert(planned.resolved.case_id);
  const std::size_t digits = id_digits(ids);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (uses[names[i]] > 1) {
      names[i] += "/case:" + plan.cases[i].resolved.case_id.substr(0, digits);
    }
  }
  return names;
}

}  // namespace stepbench
