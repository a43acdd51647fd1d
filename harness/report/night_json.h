// SPDX-License-Identifier: Apache-2.0
// A night's verdict as JSON, "stepbench.night", written and read back; results/NIGHT.md has the
// fields. Pure; any thread.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/report/night_document.h"

namespace stepbench::report {

inline constexpr std::string_view kNightSchema = "stepbench.night";
inline constexpr std::string_view kNightVersion = "2.0.0";

// One JSON object with `exit_code`, `verdict` and every series; numbers that are not finite are
// null. The same night gives the same bytes. The first kNightCharts series that moved include their
// nights, as in history_export.h.
[[nodiscard]] std::string night_json(const ShownNight& shown, const NightView& view);
// The same object for a night that failed: the history could not be read.
[[nodiscard]] std::string night_error_json(int exit_code, std::string_view message);

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
