// SPDX-License-Identifier: Apache-2.0
// The first line of input to `WORKER check`; cases follow, one line each.
#pragma once

#include <string>
#include <string_view>

#include "harness/rule.h"

namespace stepbench::protocol {

[[nodiscard]] std::string encode(const RuleFacts& facts);
// Absent fields keep their defaults. Throws Error.
[[nodiscard]] RuleFacts decode_facts(std::string_view line);

}  // namespace stepbench::protocol
