// SPDX-License-Identifier: Apache-2.0
// What a run says, in one line: which case is best, by how much, and whether the launches can tell;
// of a single case what its step takes. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"
#include "harness/json/json_text.h"

namespace stepbench::report {

// Marks the best row of a table and those that cannot be told from it.
inline constexpr const char* kBestMark = "*";

// "best: num_workers=4 (*), step 52.9 ms [52.6, 53.4]; 1.31x as fast as the next (num_workers=2)
// [1.29, 1.34]". "step 52.9 ms [52.6, 53.4], 302 samples/s; 17.0 % of it waits for data" of one
// case. Of `run --quick` the command that measures. Empty where `rows` are.
[[nodiscard]] std::string answer_line(const std::vector<estimate::CaseRow>& rows,
                                      const record::Results& results);
// The line and its doubts, those of `notes` and of launches that failed. Good where a case is told
// to be best, bad where nothing was measured.
[[nodiscard]] document::Answer run_answer(const std::vector<estimate::CaseRow>& rows,
                                          const record::Results& results,
                                          const std::vector<document::Paragraph>& notes);
// The same as the object "answer"; nothing where there is no choice.
void add_answer(json::JsonText& json, const std::vector<estimate::CaseRow>& rows,
                const record::Results& results);

}  // namespace stepbench::report
