// SPDX-License-Identifier: Apache-2.0
// --filter and --baseline of finished results. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// Applies `--filter num_workers=4,8`: keeps the launches whose option has one of the values; a
// launch must pass all filters. Throws ConfigError at --filter for an unknown name or if no case is
// left.
void keep_filtered(record::Results& results, std::span<const std::string> filters);

// Applies `--baseline num_workers=0,pin_memory=false`, or the first digits of the id of a case or
// of one of several runs: fills `vs_baseline` of the rows. If several rows match the baseline, each
// row is compared with the one whose other options equal its own. Throws ConfigError at --baseline
// if no row matches.
void compare_with_baseline(std::vector<CaseRow>& rows, const record::Results& results,
                           const std::string& baseline);

}  // namespace stepbench::estimate
