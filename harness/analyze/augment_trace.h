// SPDX-License-Identifier: Apache-2.0
// A trace with what was found in it, for viewers such as Perfetto and chrome://tracing: in a
// process "stepbench" of its own, a track for each device with its idle time by cause, counters of
// launches that wait, of copies' bandwidth and of allocated memory, and the findings as instants.
#pragma once

#include <filesystem>
#include <vector>

#include "harness/analyze/analysis.h"
#include "harness/findings/finding.h"

namespace stepbench::analyze {

// Throws as trace::copy_trace() does. `trace` was read from a file.
void augment_trace(const trace::Trace& trace, const Analysis& analysis,
                   const std::vector<Finding>& findings, const std::filesystem::path& to);

}  // namespace stepbench::analyze
