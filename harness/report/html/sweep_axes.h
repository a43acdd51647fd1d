// SPDX-License-Identifier: Apache-2.0
// The directions in which the cases of a sweep differ, as axes that charts can take. Pure; any
// thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/report/case_table.h"

namespace stepbench::report {

// An option, options that vary together, or the run and arm.
struct Dimension {
  std::string title = {};                // "num_workers", "num_workers / batch_size"
  std::vector<std::string> texts = {};   // its values; numbers by size, others as they first appear
  std::vector<double> places = {};       // on an axis: the numbers themselves, or 0, 1, 2…
  bool numbers = false;                  // all values are: a line may join them
  bool log = false;                      // the axis of `places`
  std::vector<std::size_t> of_row = {};  // which value, for each of the rows that were asked for

  [[nodiscard]] std::size_t size() const { return texts.size(); }
};

struct SweepSpace {
  // Options with two values or more; last the series, where the rows are of several runs, arms or
  // passes.
  std::vector<Dimension> dimensions = {};
  bool series = false;

  [[nodiscard]] std::size_t options() const { return dimensions.size() - (series ? 1 : 0); }
};

// Of the rows with these indices. Options that always change together, as those of a zip, are one
// direction.
[[nodiscard]] SweepSpace sweep_space(const TableFacts& facts, std::span<const std::size_t> rows);

}  // namespace stepbench::report
