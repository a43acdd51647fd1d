// SPDX-License-Identifier: Apache-2.0
// The table of cases for programs: one record per case with everything that its page shows, in base
// units. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/estimate/proposals.h"
#include "harness/text/text_sink.h"

namespace stepbench::report {

// Writes only the columns in `select`, in that order; all if it is empty. Throw ConfigError at
// --columns for an unknown one.
void write_csv(const std::vector<estimate::CaseRow>& rows, const std::vector<std::string>& select,
               const text::TextSink& sink);
// Compares proposals of findings with the rows known to `proposals`.
void write_json(const std::vector<estimate::CaseRow>& rows, const record::Results& results,
                const std::vector<std::string>& select, const estimate::Proposals& proposals,
                const text::TextSink& sink);
[[nodiscard]] std::string json_of(const std::vector<estimate::CaseRow>& rows,
                                  const record::Results& results,
                                  const std::vector<std::string>& select,
                                  const estimate::Proposals& proposals);

}  // namespace stepbench::report
