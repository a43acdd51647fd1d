// SPDX-License-Identifier: Apache-2.0
// Names a set of cases by what they have in common. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::report {

class WhichCases {
 public:
  // `rows`, the set of all rows, must outlive this; several passes of a case count as one.
  WhichCases(const std::vector<estimate::CaseRow>& rows, const record::Results& results);

  // Returns the name of a single case, "all 10 cases", or the first of these that applies:
  //   "all 3 with num_workers=2"
  //   "num_workers=2 with batch_size=8, 16", if one option differs
  //   "all 8 with batch_size=16 num_workers=1 to 4"
  //   up to three names; "7 of 10 cases".
  // `some`: a non-empty subset of the rows.
  [[nodiscard]] std::string name(std::span<const estimate::CaseRow* const> some) const;
  [[nodiscard]] std::string name(const estimate::CaseRow& row) const { return names_.name(row); }
  // "3 of 10 cases", "all cases"; empty if there is only one.
  [[nodiscard]] std::string count(std::size_t some) const;
  [[nodiscard]] std::size_t size() const { return rows_.size(); }

 private:
  [[nodiscard]] std::optional<std::string> all_with(std::span<const estimate::CaseRow* const> some,
                                                    bool by_ranges) const;
  [[nodiscard]] std::optional<std::string> differ_in_one(
      std::span<const estimate::CaseRow* const> some) const;

  std::vector<const estimate::CaseRow*> rows_;
  estimate::RowNames names_;
  bool only_options_ = false;  // cases differ only in options, not in run or arm
};

}  // namespace stepbench::report
