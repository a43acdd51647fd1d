// SPDX-License-Identifier: Apache-2.0
// The facts that `WORKER check` reads as its first line; cases follow, one line each. The .cpp
// holds the encoding of all messages, also those that messages.h declares.
#pragma once

#include <string>
#include <string_view>

#include "harness/rule.h"

namespace stepbench::protocol {

[[nodiscard]] std::string encode(const RuleFacts& facts);
// Absent fields keep their defaults. Throws Error.
[[nodiscard]] RuleFacts decode_facts(std::string_view line);

}  // namespace stepbench::protocol
