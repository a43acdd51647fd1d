// SPDX-License-Identifier: Apache-2.0
// Which rows are shown, and what they are held against: --filter and --baseline of finished
// results. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "harness/estimate/case_rows.h"

namespace stepbench::estimate {

// `--filter num_workers=4,8`: keeps the launches in which the option has one of the values; all
// filters hold. Throws ConfigError at --filter for an unknown name, and where no case is left.
void keep_filtered(record::Results& results, std::span<const std::string> filters);

// `--baseline num_workers=0,pin_memory=false`, or the first digits of the id of a case or of one of
// several runs: fills `vs_baseline` of the rows. A row is held against the one row that this names;
// where it names several, against the one among them whose other options are the row's own. Throws
// ConfigError at
// --baseline if there is none.
void compare_with_baseline(std::vector<CaseRow>& rows, const record::Results& results,
                           const std::string& baseline);

}  // namespace stepbench::estimate
