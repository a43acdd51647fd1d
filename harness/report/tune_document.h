// SPDX-License-Identifier: Apache-2.0
// What is said of a search for good settings. Pure; any thread.
#pragma once

#include "harness/document/document.h"
#include "harness/record/reader.h"
#include "harness/report/html/report.h"
#include "harness/tune/tune_run.h"

namespace stepbench::report {

// The answer and what is doubted of its launches, how sure it is and what it cost, then the points.
// `results`: those of its folder, without the confirmation's.
[[nodiscard]] document::Document tune_document(const tune::TuneRun& run,
                                               const record::Results& results);

// A page of the search: its answer and points, then what its launches show, as that of a run.
[[nodiscard]] ReportContent tune_content(const tune::TuneRun& run, const record::Results& results);

}  // namespace stepbench::report
