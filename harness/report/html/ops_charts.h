// SPDX-License-Identifier: Apache-2.0
// The profiled launches of a run on its page: what operations cost as a table, by module and op as
// areas, call by call as a flame view, and the memory that was held. Pure; any thread.
#pragma once

#include <optional>

#include "harness/document/document.h"
#include "harness/record/reader.h"
#include "harness/report/html/draw_options.h"

namespace stepbench::report {

// Each profiled case by each engine, as `show --ops` has them. nullopt where none was profiled.
[[nodiscard]] std::optional<document::Chapter> ops_section(const record::Results& results,
                                                           const DrawOptions& options);

}  // namespace stepbench::report
