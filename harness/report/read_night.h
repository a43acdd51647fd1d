// SPDX-License-Identifier: Apache-2.0
// Reads a night's verdict file (night_json.h). Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/night_document.h"

namespace stepbench::report {

struct ReadNight {
  ShownNight shown = {};  // as far as the file contains it
  std::string host = {};
  std::vector<std::string> names = {};  // names of its series, as in the file
  NightView view = {};
  std::string error = {};  // why there is no night; empty if there is one
};
// Throws LineError unless it is an object of the schema stepbench.night 2.x.
[[nodiscard]] ReadNight read_night(std::string_view night_json);

}  // namespace stepbench::report
