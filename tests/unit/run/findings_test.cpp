// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/document/render.h"
#include "harness/report/case_page.h"
#include "harness/report/table.h"
#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kYaml =
    "name: conclusions\n"
    "workload: stub\n"
    "launches: 4\n"
    "schedule: {wait: 0, warmup: 2, active: 5}\n"
    "stub: {phases: 'forward=50,backward=40'}\n"
    "sweep: {matrix: {stub.finding_launches: [0, 1, 3]}}\n";

TEST(FindingsOfARun, TravelFromTheWorkerToTheTableAndThePage) {
  RunProgram program;
  program.config(kYaml);
  const os::CommandResult result = program.run();
  ASSERT_EQ(result.exit_status, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("warning: the step spins for 51 % of its time "
                                    "(finding_launches=3)\n  Shorten the script.\n"
                                    "  try: --set stub.step_us=10\n"));
  const record::Results results = program.results();
  const std::vector<estimate::CaseRow> rows = estimate::case_rows(results);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(document::render(report::case_document(rows[1], results, {}), {}),
              Not(HasSubstr("Findings")))
      << "one launch of four has it";
  EXPECT_THAT(document::render(report::case_document(rows[2], results, {}), {}),
              AllOf(HasSubstr("Findings\nwarning: the step spins for 51 % of its time (3 of 4 "
                              "launches)\n"),
                    HasSubstr("  seen in: step_ns; to be won at most: 50.0 % of the step\n")));
}

}  // namespace
}  // namespace stepbench::testing
