// SPDX-License-Identifier: Apache-2.0
// Numbers as files hold them: the shortest text that reads back as the same number, and of two
// equally short ones the one without an exponent. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace stepbench {

void append_number(std::string& text, std::int64_t number);
// As std::to_chars() writes it: 1.5, 1e+07, inf, -nan.
void append_number(std::string& text, double number);

}  // namespace stepbench
