// SPDX-License-Identifier: Apache-2.0
// Who waits for whom in the collectives of a step: of a run and of traces alike. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "harness/analyze/ranks.h"
#include "harness/document/document.h"

namespace stepbench::report {

// Square, by the places of `ranks`: a line waits for the ranks of its columns.
struct WaitMatrix {
  std::vector<std::int64_t> ranks = {};
  std::vector<std::vector<double>> ns = {};  // mean per step

  [[nodiscard]] bool empty() const;  // nobody waits for anybody
  // Of the column, for which the others wait longest together.
  [[nodiscard]] std::size_t most_waited_for() const;
};

[[nodiscard]] WaitMatrix wait_matrix(const analyze::RankReport& report);

// Of few ranks the whole, of many the longest waits, one a line. Nothing where nobody waits.
[[nodiscard]] std::optional<document::Table> wait_table(const WaitMatrix& matrix);

}  // namespace stepbench::report
