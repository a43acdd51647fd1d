// SPDX-License-Identifier: Apache-2.0
// The charts of a sweep, and its axes: the directions in which the cases differ. Pure; any thread.
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
  std::vector<std::string> texts = {};   // its values; numbers sorted, others by appearance
  std::vector<double> places = {};       // axis positions: the numbers themselves, or 0, 1, 2…
  bool numbers = false;                  // all values are numbers: points may be joined by a line
  bool log = false;                      // logarithmic axis
  std::vector<std::size_t> of_row = {};  // index of the value, for each requested row

  [[nodiscard]] std::size_t size() const { return texts.size(); }
};

struct SweepSpace {
  // Options with at least two values; then the series, if the rows are of several runs, arms or
  // passes.
  std::vector<Dimension> dimensions = {};
  bool series = false;

  [[nodiscard]] std::size_t options() const { return dimensions.size() - (series ? 1 : 0); }
};

// Dimensions of the rows with these indexes. Options that always change together, as in a zip, form
// one dimension.
[[nodiscard]] SweepSpace sweep_space(const TableFacts& facts, std::span<const std::size_t> rows);

}  // namespace stepbench::report
