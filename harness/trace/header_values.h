// SPDX-License-Identifier: Apache-2.0
// The keys of a trace's file beside traceEvents. Any may be absent, of another type, or damaged:
// then the trace goes without.
#pragma once

#include <string>
#include <string_view>

#include "harness/trace/trace.h"

namespace stepbench::trace {

// `json`: the value as written.
void take_header_value(std::string_view key, std::string_view json, Trace& to);

// What a JSON file without traceEvents is, from its keys: "an execution trace of PyTorch".
[[nodiscard]] std::string kind_of_other_file(const std::vector<std::string>& keys);

}  // namespace stepbench::trace
