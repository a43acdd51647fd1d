// SPDX-License-Identifier: Apache-2.0
// Identifies the runs of the numbers and the machines that measured them. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"
#include "harness/json/json_text.h"

namespace stepbench::report {

// A resumed run has one file per part; only the first is returned.
[[nodiscard]] std::vector<const record::RunRow*> distinct_runs(const record::Results& results);
// "quickstart, 2026-11-22 03:15 UTC, 2x AMD EPYC, no GPU, torch 2.11.0, 3 launches per case": one
// line per run. Printable.
[[nodiscard]] std::vector<std::string> run_titles(const std::vector<estimate::CaseRow>& rows,
                                                  const record::Results& results);
// The run of one row; empty if not recorded.
[[nodiscard]] std::string run_title(const estimate::CaseRow& row, const record::Results& results);
// Collapsible details for Markdown: command, environment and configuration.
[[nodiscard]] std::string markdown_details(const record::Results& results);
// Adds the arrays "runs" and "environments".
void add_runs(json::JsonText& json, const record::Results& results);

}  // namespace stepbench::report
