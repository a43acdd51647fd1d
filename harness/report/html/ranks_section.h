// SPDX-License-Identifier: Apache-2.0
// The ranks of groups on a run's page: who holds the others up, the step of each rank by its
// phases, who waits for whom. Pure; any thread.
#pragma once

#include <optional>

#include "harness/document/document.h"
#include "harness/report/case_table.h"
#include "harness/report/html/draw_options.h"
#include "harness/report/wait_matrix.h"

namespace stepbench::report {

// Nothing where no case has several ranks.
[[nodiscard]] std::optional<document::Chapter> ranks_section(const TableFacts& facts,
                                                             const DrawOptions& options);

// Nothing where nobody waits.
[[nodiscard]] std::optional<document::Figure> waits_figure(const WaitMatrix& matrix);

}  // namespace stepbench::report
