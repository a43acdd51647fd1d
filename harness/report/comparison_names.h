// SPDX-License-Identifier: Apache-2.0
// Names of the cases of a comparison. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/comparison.h"

namespace stepbench::report {

class ComparisonNames {
 public:
  // `comparison` must outlive this.
  explicit ComparisonNames(const compare::Comparison& comparison);

  // By the varying options; if none vary, by what is measured.
  [[nodiscard]] std::string of(const compare::CaseResult& one) const;
  [[nodiscard]] std::string of(const compare::MissingCase& one) const;
  [[nodiscard]] std::string of_id(const std::string& case_id) const;
  [[nodiscard]] std::string short_id(std::string_view id) const;

 private:
  [[nodiscard]] std::string name(const OptionValues& options, const std::string& workload,
                                 std::string_view id) const;

  const compare::Comparison& comparison_;
  std::vector<std::string> varying_;
  std::size_t digits_ = 0;
  bool only_one_ = false;
};

}  // namespace stepbench::report
