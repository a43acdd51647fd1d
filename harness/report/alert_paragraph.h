// SPDX-License-Identifier: Apache-2.0
// What a night says of one of its alerts: since when it is open, between which programs it came,
// and what explains it. Pure; any thread.
#pragma once

#include "harness/document/document.h"
#include "harness/nights/night.h"
#include "harness/report/series_names.h"

namespace stepbench::report {

[[nodiscard]] document::Paragraph alert_paragraph(const nights::Alert& alert,
                                                  const nights::Night& night,
                                                  const track::History& history,
                                                  const SeriesNames& names);

}  // namespace stepbench::report
