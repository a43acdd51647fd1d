// SPDX-License-Identifier: Apache-2.0
// Cases for programs, as CSV and JSON: one record per case with all that its page shows, in base
// units, and the clock or counter behind each number. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/catalogue.h"
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

namespace stepbench::json {

class JsonText;

}  // namespace stepbench::json

namespace stepbench::report {

// Adds "sources":{"step_ns":"host_clock",...} to an open object, for those of `names` whose
// definition has a source. Adds nothing if none has.
void add_sources(json::JsonText& json, std::span<const std::string> names,
                 std::span<const Metric> definitions);

}  // namespace stepbench::report
