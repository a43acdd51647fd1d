// SPDX-License-Identifier: Apache-2.0
// What the methods of the nights say of any series, as a document and as JSON. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/report/series_names.h"
#include "harness/track/history.h"
#include "harness/track/screened_series.h"

namespace stepbench::report {

[[nodiscard]] document::Document screened_document(const track::ScreenedSeries& screened,
                                                   const track::History& history,
                                                   const SeriesNames& names,
                                                   const track::ScreenChoice& choice);
// "stepbench.screen" 1.0.0: one object for all of them.
[[nodiscard]] std::string screened_json(const std::vector<track::ScreenedSeries>& all,
                                        const track::History& history, const SeriesNames& names,
                                        const track::ScreenChoice& choice);

}  // namespace stepbench::report
