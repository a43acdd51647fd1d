// SPDX-License-Identifier: Apache-2.0
// Numbers as written to files: the shortest text that reads back as the same number; if two are
// equally short, the one without an exponent. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>

namespace stepbench {

void append_number(std::string& text, std::int64_t number);
// Format of std::to_chars(): 1.5, 1e+07, inf, -nan.
void append_number(std::string& text, double number);

}  // namespace stepbench
