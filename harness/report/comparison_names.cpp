// SPDX-License-Identifier: Apache-2.0
#include "harness/report/comparison_names.h"

#include <set>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

ComparisonNames::ComparisonNames(const compare::Comparison& comparison) {
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
}

std::string ComparisonNames::of(const compare::CaseResult& one) const {
  const std::string text = estimate::case_label(one.options, varying_);
  return text.empty() ? short_id(one.case_id) : text;
}

std::string ComparisonNames::of(const compare::MissingCase& one) const {
  const std::string text = estimate::case_label(one.options, varying_);
  return text.empty() ? short_id(one.case_id) : text;
}

std::string ComparisonNames::label(const compare::CaseResult& one) const {
  return estimate::case_label(one.options, varying_, short_id(one.case_id));
}

std::string ComparisonNames::short_id(std::string_view id) const {
  return std::string(id.substr(0, digits_));
}

}  // namespace stepbench::report
