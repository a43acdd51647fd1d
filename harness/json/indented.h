// SPDX-License-Identifier: Apache-2.0
// JSON for people and for parsers that read it line by line. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace stepbench::json {

// Puts each member and element on its own line, indented by one blank per level.
[[nodiscard]] std::string indented(std::string_view json);

}  // namespace stepbench::json
