// SPDX-License-Identifier: Apache-2.0
// What a night says of one of its alerts: since when it is open, between which programs it came,
// what measuring it said, and what it waits for. Pure; any thread.
#pragma once

#include "harness/campaign/check_night.h"
#include "harness/document/document.h"
#include "harness/report/series_names.h"

namespace stepbench::report {

[[nodiscard]] document::Paragraph alert_paragraph(const track::Alert& alert,
                                                  const campaign::CheckedNight& checked,
                                                  const SeriesNames& names);

}  // namespace stepbench::report
