// SPDX-License-Identifier: Apache-2.0
// The operations of profiled cases on a run's page: flame view, areas by module and op, memory over
// time. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "harness/document/document.h"
#include "harness/json/json_text.h"
#include "harness/ops/call_tree.h"

namespace stepbench::report {

// Adds the case to `charts`, an open array, at index `profile`. Returns figures of host time,
// device time and memory, each only if recorded.
[[nodiscard]] std::vector<document::Figure> profile_figures(const ops::OpTable& table,
                                                            const std::vector<ops::CallNode>& calls,
                                                            std::size_t profile,
                                                            json::JsonText& charts);

}  // namespace stepbench::report
