// SPDX-License-Identifier: Apache-2.0
// The lines of `WORKER check`: it reads facts and then cases, and answers each case. The .cpp holds
// the encoding of all messages, also those that messages.h declares.
#pragma once

#include <string>
#include <string_view>

#include "harness/rule.h"

namespace stepbench::protocol {

[[nodiscard]] std::string encode(const RuleFacts& facts);
// Absent fields keep their defaults. Throws Error.
[[nodiscard]] RuleFacts decode_facts(std::string_view line);

// {"answer":"ok"} | {"answer":"skip","reason":"..."} | {"answer":"error","option":"...","reason":
// "..."}, each with "notes", "plan_notes", "schedule" and "options" unless they are empty.
[[nodiscard]] std::string encode(const CheckAnswer& answer);
// `options` has all that the rules changed, `schedule` nothing. Throws Error.
[[nodiscard]] CheckAnswer decode_answer(std::string_view line);

}  // namespace stepbench::protocol
