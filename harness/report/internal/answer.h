// SPDX-License-Identifier: Apache-2.0
// The answer of a run in one line: which case is best, by how much, and whether the launches can
// resolve it; the time that a perfect loader would save; the command to measure next. Pure; any
// thread.
#pragma once

#include <string>
#include <vector>

#include "harness/document/document.h"
#include "harness/estimate/case_rows.h"
#include "harness/json/json_text.h"

namespace stepbench::report {

// Marks the best row of a table and those that tie with it.
inline constexpr const char* kBestMark = "*";

// "best: num_workers=4 (*), step 52.9 ms [52.6, 53.4]; 1.31x as fast as the next (num_workers=2)
// [1.29, 1.34]". For one case "step 52.9 ms [52.6, 53.4], 302 samples/s; 17.0 % of it waits for
// data". For `run --quick` the command that measures. Empty if `rows` is.
[[nodiscard]] std::string answer_line(const std::vector<estimate::CaseRow>& rows,
                                      const record::Results& results);
// The line with its doubts, from `notes` and failed launches. Good if a case is the best, bad if
// nothing was measured.
[[nodiscard]] document::Answer run_answer(const std::vector<estimate::CaseRow>& rows,
                                          const record::Results& results,
                                          const std::vector<document::Paragraph>& notes);
// Adds the object "answer"; nothing if there is no choice.
void add_answer(json::JsonText& json, const std::vector<estimate::CaseRow>& rows,
                const record::Results& results);

// The time that a perfect loader would save: compares a case with its loader alone and its step
// alone (loader.alone).

// One line per case that was also measured with its step alone: "a perfect loader would save 21.4
// ms (30 %): 15.1 ms waiting, 6.3 ms because the two share the machine; ... loader alone 40.2 ms,
// step alone 50.0 ms, both 71.4 ms". The saving is both - step alone; "waiting" is the difference
// in the step's wait for data. Bounds come from both intervals. Empty if there is no such pair.
[[nodiscard]] std::vector<std::string> headroom_lines(const std::vector<estimate::CaseRow>& rows,
                                                      const record::Results& results);

}  // namespace stepbench::report
