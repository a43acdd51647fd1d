// SPDX-License-Identifier: Apache-2.0
// Keys of a trace file other than traceEvents. Ignored if of another type or damaged.
#pragma once

#include <string>
#include <string_view>

#include "harness/trace/trace.h"

namespace stepbench::trace {

// `json`: the value as it appears in the file.
void take_header_value(std::string_view key, std::string_view json, Trace& to);

// Identifies a JSON file without traceEvents by its keys: "an execution trace of PyTorch".
[[nodiscard]] std::string kind_of_other_file(const std::vector<std::string>& keys);

}  // namespace stepbench::trace
