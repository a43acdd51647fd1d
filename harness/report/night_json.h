// SPDX-License-Identifier: Apache-2.0
// A night's verdict as JSON, "stepbench.night"; results/NIGHT.md has the fields. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

#include "harness/report/night_document.h"

namespace stepbench::report {

inline constexpr std::string_view kNightSchema = "stepbench.night";
inline constexpr std::string_view kNightVersion = "2.0.0";

// One JSON object with `exit_code`, `verdict` and every series; what is not a number is null. The
// same night gives the same bytes. The first kNightCharts that moved have their nights, as
// history_export.h writes them.
[[nodiscard]] std::string night_json(const ShownNight& shown, const NightView& view);
// The same when there is no night: the history could not be read.
[[nodiscard]] std::string night_error_json(int exit_code, std::string_view message);

}  // namespace stepbench::report
