// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/testing.h"

namespace stepbench::test {

// Runs a script of this folder with the Python of the linked torch; returns its standard output.
// Throws with the output if the script fails.
[[nodiscard]] std::string run_python(const std::string& script,
                                     const std::vector<std::string>& arguments);

}  // namespace stepbench::test
