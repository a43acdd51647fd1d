// SPDX-License-Identifier: Apache-2.0
#include "harness/report/comparison_names.h"

#include <algorithm>
#include <set>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

ComparisonNames::ComparisonNames(const compare::Comparison& comparison) : comparison_(comparison) {
  std::vector<const OptionValues*> cases;
  std::set<std::string> ids;
  for (const compare::CaseResult& one : comparison.cases) {
    cases.push_back(&one.options);
    ids.insert(one.case_id);
  }
  for (const auto* missing : {&comparison.only_base, &comparison.only_candidate}) {
    for (const compare::MissingCase& one : *missing) ids.insert(one.case_id);
  }
  varying_ = estimate::varying_options(cases, comparison.swept);
  digits_ = estimate::id_digits(ids);
  only_one_ = ids.size() == 1;
}

std::string ComparisonNames::of(const compare::CaseResult& one) const {
  return name(one.options, one.workload, one.case_id);
}

std::string ComparisonNames::of(const compare::MissingCase& one) const {
  return name(one.options, one.workload, one.case_id);
}

std::string ComparisonNames::of_id(const std::string& case_id) const {
  const auto found = std::ranges::find(comparison_.cases, case_id, &compare::CaseResult::case_id);
  return found == comparison_.cases.end() ? "case " + short_id(case_id) : of(*found);
}

std::string ComparisonNames::name(const OptionValues& options, const std::string& workload,
                                  std::string_view id) const {
  std::string text = estimate::case_label(options, varying_);
  if (!text.empty()) return text;
  text = estimate::case_subject(options, workload);
  if (text.empty()) return "case " + short_id(id);
  return only_one_ ? text : text + " (" + short_id(id) + ')';
}

std::string ComparisonNames::short_id(std::string_view id) const {
  return std::string(id.substr(0, digits_));
}

}  // namespace stepbench::report
