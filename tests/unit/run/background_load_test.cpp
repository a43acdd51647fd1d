// SPDX-License-Identifier: Apache-2.0
#include "harness/run/background_load.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/run/run_program.h"

namespace stepbench::testing {
namespace {

using ::testing::Contains;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;

constexpr const char* kBeside =
    "workload: stub\n"
    "launches: 1\n"
    "stub: {clock: host, step_us: 5000}\n"
    "sweep: {matrix: {background.busy_cpus: [0, 0.5, 2]}}\n";

TEST(BackgroundLoad, IsAnAxisAndSaysWhatItReallyHad) {
  RunProgram program;
  program.config(kBeside);
  EXPECT_EQ(program.run().exit_status, 0);
  const record::Results results = program.results();
  ASSERT_EQ(results.launches.size(), 3U);
  for (const record::Launch& launch : results.launches) {
    const Fields& machine = launch.row.machine;
    if (launch.row.key.case_id == results.launches.front().row.key.case_id) {
      EXPECT_THAT(machine, Not(Contains(Key("background_cpus")))) << "nobody asked for one";
    } else {
      EXPECT_THAT(number_of(machine, "background_cpus").value_or(0), Gt(0));
    }
  }
  EXPECT_THAT(program.leftovers(), IsEmpty());
}

TEST(BackgroundLoad, IsNoNegativeNumberOfCpus) {
  RunProgram program;
  program.config(kBeside);
  const os::CommandResult run = program.run({"--set", "background.busy_cpus=-1"});
  EXPECT_EQ(run.exit_status, 2);
  EXPECT_THAT(run.err, HasSubstr("background.busy_cpus"));
}

}  // namespace
}  // namespace stepbench::testing
