// SPDX-License-Identifier: Apache-2.0
// What a night says of one of its alerts: since when it is open, between which programs it came,
// what measuring it said, and what it waits for. Pure; any thread.
#pragma once

#include <string>

#include "harness/campaign/check_night.h"
#include "harness/document/document.h"
#include "harness/report/series_names.h"

namespace stepbench::report {

[[nodiscard]] document::Paragraph alert_paragraph(const track::Alert& alert,
                                                  const campaign::CheckedNight& checked,
                                                  const SeriesNames& names);

// "commit 4d134bc0, build 4ac4e706"
[[nodiscard]] std::string program_text(const track::TrackedRun& run);
// nullptr if unknown.
[[nodiscard]] const track::TrackedRun* run_called(const track::History& history,
                                                  const std::string& id);

}  // namespace stepbench::report
