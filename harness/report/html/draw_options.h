// SPDX-License-Identifier: Apache-2.0
// What every chapter that draws is told.
#pragma once

#include <cstddef>
#include <string>

namespace stepbench::report {

struct DrawOptions {
  std::size_t points = 5000;  // at most so many steps are drawn in one figure
  // How the reader sees the cases again; " --case ID" follows. With the files that were given.
  std::string show_command = "stepbench show RUN";
};

}  // namespace stepbench::report
