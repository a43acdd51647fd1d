// SPDX-License-Identifier: Apache-2.0
// What `stepbench doctor --measure` kept, in the output of `stepbench plan`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/temporary_folder.h"
#include "tests/unit/compare/kept_noise.h"
#include "tests/unit/shell/program.h"

namespace stepbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class PlanCommand : public ::testing::Test {
 protected:
  [[nodiscard]] std::string plan(int launches) const {
    folder_.write("x.yaml", "workload: stub\nlaunches: " + std::to_string(launches) + "\n");
    return os::run_command(
               {"/usr/bin/env", "XDG_STATE_HOME=" + (folder_ / "state").string(),
                testing::stepbench_program(), "plan", (folder_ / "x.yaml").string(), "--worker",
                testing::stub_worker(), "--results", (folder_ / "results").string()},
               "", std::chrono::minutes{10})
        .out;
  }
  const test::TemporaryFolder folder_;
};

TEST_F(PlanCommand, QuotesWhatTheMachineShowedBelowWhatTheLaunchesFind) {
  EXPECT_THAT(plan(10), Not(HasSubstr("for `ab`"))) << "nobody measured yet";
  testing_compare::keep_noise(folder_ / "state");
  EXPECT_THAT(plan(10),
              HasSubstr(std::string("\nfor `ab`: ") + testing_compare::kKeptQuote + '\n'));
}

TEST_F(PlanCommand, NamesAKeptFileThatCannotBeRead) {
  const auto place = campaign::place_for_machine({{"XDG_STATE_HOME", (folder_ / "state").string()}},
                                                 campaign::machine_identity("/"));
  folder_.write(place.lexically_relative(folder_.path()).string(), "{");
  EXPECT_THAT(plan(10),
              HasSubstr("for `ab`: what this machine can show is not known: " + place.string()));
}

}  // namespace
}  // namespace stepbench
