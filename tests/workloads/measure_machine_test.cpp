// SPDX-License-Identifier: Apache-2.0
// `stepbench doctor --measure`: its cases, measured by its worker; its printed, kept and quoted
// values, with only the loaders of those cases.
#include <nlohmann/json.hpp>

#include "harness/campaign/examine_machine.h"
#include "harness/os/process.h"
#include "tests/temporary_folder.h"
#include "tests/testing.h"
#include "tests/workloads/worker_run.h"

namespace stepbench {
namespace {

TEST(DoctorMeasure, ThreeCases_AreMeasured) {
  const test::Options step = {{"data.features", std::int64_t{256}},
                              {"data.samples", std::int64_t{4096}},
                              {"loader.engine", std::string("thread")},
                              {"model.kind", std::string("mlp")},
                              {"model.layers", std::int64_t{4}}};
  const std::pair<const char*, const char*> cases[] = {{"model.hidden: 256", "model.hidden=256"},
                                                       {"model.hidden: 2048", "model.hidden=2048"},
                                                       {"data.cost: spin", "data.cost=spin"}};
  for (const auto& [line, option] : cases) {
    EXPECT_THAT(campaign::machine_cases().yaml, HasSubstr(line));
    test::Options options = step;
    test::set_option(options, option);
    const auto messages = test::run_worker(options);
    EXPECT_GT(test::only<record::CycleSamples>(messages).steps.column("step_ns").front(), 0);
  }
}

// The number of launches in ten seconds depends on the machine: printed, kept and quoted values
// must agree.
TEST(DoctorMeasure, Plan_QuotesTheKeptNoise) {
  const test::TemporaryFolder folder;
  // The program uses the worker next to it.
  fs::copy_file(STEPBENCH_PROGRAM, folder / "stepbench");
  fs::create_symlink(STEPBENCH_LOADING_WORKER, folder / "stepbench-worker");
  const std::string state = "XDG_STATE_HOME=" + (folder / "state").string();
  const auto stepbench = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"/usr/bin/env", state, (folder / "stepbench").string()});
    return os::run_command(arguments, "", std::chrono::minutes{10});
  };
  const os::CommandResult doctor = stepbench(
      {"doctor", "--measure", "10", "--no-lock", "--seconds", "0.05", "--format", "json"});
  const nlohmann::json reported = nlohmann::json::parse(doctor.out);
  const nlohmann::json& cases = reported.at("measured").at("cases");
  for (const nlohmann::json& one : cases) {
    EXPECT_GE(one.at("launches"), 6);
    EXPECT_GT(one.at("launch_sd"), 0);
  }
  folder.write("x.yaml", "workload: train_step\nmodel: {kind: mlp}\nlaunches: 10\n");
  const os::CommandResult plan = stepbench({"plan", (folder / "x.yaml").string()});
  ASSERT_EQ(plan.exit_status, 0) << plan.err;
  if (cases.empty()) {
    EXPECT_EQ(doctor.exit_status, 4);
    EXPECT_THAT(doctor.err, HasSubstr("nothing saved: no case was launched often enough"));
    EXPECT_THAT(plan.out, Not(HasSubstr("for `ab`")));
  } else {
    EXPECT_EQ(doctor.exit_status, reported.at("pointless").get<bool>() ? 4 : 0);
    EXPECT_THAT(doctor.err, HasSubstr("Saved in " + (folder / "state").string()));
    EXPECT_THAT(plan.out, HasSubstr("for `ab`: this machine showed "));
  }
}

}  // namespace
}  // namespace stepbench
