// SPDX-License-Identifier: Apache-2.0
// What the cases of a comparison are called. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "harness/compare/comparison.h"

namespace stepbench::report {

class ComparisonNames {
 public:
  // `comparison` outlives this.
  explicit ComparisonNames(const compare::Comparison& comparison);

  // By what varies, as the table of a comparison has it; its id where nothing does.
  [[nodiscard]] std::string of(const compare::CaseResult& one) const;
  [[nodiscard]] std::string of(const compare::MissingCase& one) const;
  // What varies with its id in front: "3f2a (num_workers=4)".
  [[nodiscard]] std::string label(const compare::CaseResult& one) const;
  [[nodiscard]] std::string short_id(std::string_view id) const;

 private:
  std::vector<std::string> varying_;
  std::size_t digits_ = 0;
};

}  // namespace stepbench::report
