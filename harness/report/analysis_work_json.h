// SPDX-License-Identifier: Apache-2.0
// Blocks of "stepbench.analysis" about work: what was computed and sent, how fast. Pure; any
// thread.
#pragma once

#include <optional>
#include <string_view>

#include "harness/analyze/collectives.h"
#include "harness/analyze/critical_path.h"
#include "harness/analyze/efficiency.h"
#include "harness/json/json_text.h"
#include "harness/trace/trace.h"

namespace stepbench::report {

// Members of an open object.
void add_efficiency(json::JsonText& json, const trace::Trace& trace,
                    const analyze::Efficiency& efficiency);

// Members of an open object: what was exchanged, then the bandwidths of one that takes so long.
void add_exchange(json::JsonText& json, const analyze::ExchangeFacts& facts, double duration_ns);
void add_collective(json::JsonText& json, const analyze::CollectiveRow& row);

void add_critical_path(json::JsonText& json, const trace::Trace& trace,
                       const analyze::CriticalPath& path);

// null where it is not known.
void add_summary(json::JsonText& json, std::string_view key, const analyze::Summary& of);

}  // namespace stepbench::report
