// SPDX-License-Identifier: Apache-2.0
// `stepbench doctor --measure` with the worker that it measures with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "harness/campaign/measure_machine.h"
#include "harness/os/command.h"
#include "tests/temporary_folder.h"
#include "workloads/built_in.h"

namespace stepbench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(DoctorMeasure, ItsThreeCasesAreMeasuredByTheWorker) {
  const test::TemporaryFolder folder;
  const HostClock clock;
  std::ostringstream said;
  run::Progress progress(said, {}, clock);
  run::Interrupts interrupts;
  constexpr double kLongEnough = 86400;
  const campaign::MachineRun run = campaign::measure_machine(
      campaign::machine_cases(), kLongEnough,
      {.file = {},
       .set = {"schedule.warmup=1", "schedule.active=10"},
       .worker = STEPBENCH_WORKER,
       .launches = 6,
       .lock = campaign::LockPolicy::kNone},
      {.built_in = {.catalogue = built_in_catalogue(), .rules = built_in_rules()},
       .argv = {"stepbench", "doctor"},
       .variables = {{"XDG_CACHE_HOME", (folder / "cache").string()}},
       .stepbench_version = "0.0.0"},
      progress, interrupts, clock);
  EXPECT_THAT(run.failed, IsEmpty()) << said.str();
  EXPECT_THAT(run.noise.too_few, IsEmpty());
  ASSERT_EQ(run.noise.cases.size(), 3U) << said.str();
  const char* const names[] = {"compute", "memory", "loader"};
  for (std::size_t i = 0; i < 3; ++i) {
    const compare::CaseSpread& one = run.noise.cases[i];
    EXPECT_EQ(one.name, names[i]);
    EXPECT_EQ(one.launches, 6U);
    EXPECT_GT(one.step_ns, 0);
    EXPECT_GT(one.launch_sd, 0) << "no two launches take exactly as long";
    EXPECT_GT(one.found_by_10, one.found_by_40);
    EXPECT_GT(one.found_by_40, 0.01) << "the margin";
  }
}

// How many launches ten seconds hold is the machine's affair: what is told, kept and quoted agrees.
TEST(DoctorMeasure, KeepsWhatItTellsAndPlanQuotesIt) {
  const test::TemporaryFolder folder;
  const std::string state = "XDG_STATE_HOME=" + (folder / "state").string();
  const auto stepbench = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"/usr/bin/env", state, STEPBENCH_PROGRAM});
    return os::run_command(arguments, "", std::chrono::minutes{10});
  };
  const os::CommandResult doctor =
      stepbench({"doctor", "--measure", "10", "--seconds", "0.05", "--format", "json"});
  const nlohmann::json told = nlohmann::json::parse(doctor.out);
  const nlohmann::json& cases = told.at("measured").at("cases");
  for (const nlohmann::json& one : cases) {
    EXPECT_GE(one.at("launches"), 6);
    EXPECT_GT(one.at("launch_sd"), 0);
  }
  folder.write("x.yaml", "workload: train_step\nmodel: {kind: mlp}\nlaunches: 10\n");
  const os::CommandResult plan = stepbench({"plan", (folder / "x.yaml").string()});
  ASSERT_EQ(plan.exit_status, 0) << plan.err;
  if (cases.empty()) {
    EXPECT_EQ(doctor.exit_status, 4);
    EXPECT_THAT(doctor.err, HasSubstr("nothing is kept: no case was launched often enough"));
    EXPECT_THAT(plan.out, Not(HasSubstr("for `ab`")));
  } else {
    EXPECT_EQ(doctor.exit_status, told.at("pointless").get<bool>() ? 4 : 0);
    EXPECT_THAT(doctor.err, HasSubstr("Kept in " + (folder / "state").string()));
    EXPECT_THAT(plan.out, HasSubstr("for `ab`: this machine showed "));
  }
}

}  // namespace
}  // namespace stepbench
