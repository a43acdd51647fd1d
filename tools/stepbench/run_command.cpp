// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "tools/stepbench/command.h"

namespace stepbench::cli {

void add_run(CLI::App&, const Environment&, int&) {}

}  // namespace stepbench::cli
