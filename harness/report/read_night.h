// SPDX-License-Identifier: Apache-2.0
// A night's verdict file (night_json.h), read back as values. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/night_document.h"

namespace stepbench::report {

struct ReadNight {
  ShownNight shown = {};  // as far as the file has it
  std::string host = {};
  std::vector<std::string> names = {};  // of its series, as the file calls them
  NightView view = {};
  std::string error = {};  // why there is no night; empty: there is one
};
// Throws LineError for what is no object of schema stepbench.night 2.x.
[[nodiscard]] ReadNight read_night(std::string_view night_json);

}  // namespace stepbench::report
