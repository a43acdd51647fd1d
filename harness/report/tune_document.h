// SPDX-License-Identifier: Apache-2.0
// Document of a search for good settings. Pure; any thread.
#pragma once

#include "harness/document/document.h"
#include "harness/record/reader.h"
#include "harness/report/html/report.h"
#include "harness/tune/tune_result.h"

namespace stepbench::report {

// The answer with doubts about its launches, confidence and cost, then the points. `results`: those
// of its folder, without the confirmation.
[[nodiscard]] document::Document tune_document(const tune::TuneRun& run,
                                               const record::Results& results);

// Page of the search: answer and points, then its launches, as for a run.
[[nodiscard]] ReportContent tune_content(const tune::TuneRun& run, const record::Results& results);

}  // namespace stepbench::report
