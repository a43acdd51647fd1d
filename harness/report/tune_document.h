// SPDX-License-Identifier: Apache-2.0
// What is said of a search for good settings. Pure; any thread.
#pragma once

#include "harness/document/document.h"
#include "harness/tune/tune_run.h"

namespace stepbench::report {

// The answer, how sure it is and what it cost, then the points.
[[nodiscard]] document::Document tune_document(const tune::TuneRun& run);

}  // namespace stepbench::report
