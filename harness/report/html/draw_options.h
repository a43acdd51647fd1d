// SPDX-License-Identifier: Apache-2.0
// Options of all chapters with charts.
#pragma once

#include <cstddef>
#include <string>

namespace stepbench::report {

struct DrawOptions {
  std::size_t points = 5000;  // largest number of steps drawn in one figure
  // Command that shows a case, with the given files; " --case ID" is appended.
  std::string show_command = "stepbench show RUN";
};

}  // namespace stepbench::report
