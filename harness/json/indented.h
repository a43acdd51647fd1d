// SPDX-License-Identifier: Apache-2.0
// JSON for people and for parsers that read it line by line. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::json {

// Each member and element in a line of its own, a blank deeper than what it is in.
[[nodiscard]] std::string indented(std::string_view json);

}  // namespace stepbench::json
