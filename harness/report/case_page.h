// SPDX-License-Identifier: Apache-2.0
// The page of one case, as shown by `stepbench show --case ID`. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"

namespace stepbench::report {

// Options, launches, phases, life cycle, metrics, fingerprint, environment, doubts and failures.
// `defaults`: by full name; options with their default are omitted. Empty: all options are shown.
[[nodiscard]] document::Document case_document(const estimate::CaseRow& row,
                                               const record::Results& results,
                                               const Fields& defaults);

}  // namespace stepbench::report
