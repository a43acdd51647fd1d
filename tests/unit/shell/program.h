// SPDX-License-Identifier: Apache-2.0
// The program `stepbench` with arguments, its output not on a terminal.
#pragma once

#include "harness/os/process.h"
#include "tests/testing.h"

namespace stepbench::testing {

[[nodiscard]] std::string stepbench_program();
[[nodiscard]] std::string stub_worker();
[[nodiscard]] os::CommandResult stepbench(const std::vector<std::string>& arguments);
[[nodiscard]] std::vector<std::string> lines_of_text(const std::string& text);

}  // namespace stepbench::testing
