// SPDX-License-Identifier: Apache-2.0
// Which rank waits for which in the collectives of a step; for runs and traces. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analyze/ranks.h"
#include "harness/document/document.h"

namespace stepbench::report {

// Square, indexed by position in `ranks`: a row's rank waits for the ranks of the columns.
struct WaitMatrix {
  std::vector<std::int64_t> ranks = {};
  std::vector<std::vector<double>> ns = {};  // mean per step

  [[nodiscard]] bool empty() const;  // true if no rank waits
  // Index of the rank that the others wait for longest in total.
  [[nodiscard]] std::size_t most_waited_for() const;
};

[[nodiscard]] WaitMatrix wait_matrix(const analyze::RankReport& report);

// The whole matrix for few ranks, else the longest waits, one per line. nullopt if no rank waits.
[[nodiscard]] std::optional<document::Table> wait_table(const WaitMatrix& matrix);

}  // namespace stepbench::report
