// SPDX-License-Identifier: Apache-2.0
// The lines of a result file for programs that check them. Pure; any thread.
#pragma once

#include <string>

namespace stepbench::record {

// JSON Schema of one line. It holds for the files of every earlier minor version, too.
[[nodiscard]] std::string result_schema();

}  // namespace stepbench::record
